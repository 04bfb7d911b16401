"""Runs the program that was installed with this package."""

import os
import sys
import sysconfig


def program():
    schemes = [None, f"{os.name}_user"]
    for scheme in schemes:
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        path = os.path.join(folder, "referee")
        if os.path.isfile(path):
            return path
    sys.exit("referee: the program is not where `pip` puts programs; install the package again")


path = program()
os.execv(path, [path, *sys.argv[1:]])
