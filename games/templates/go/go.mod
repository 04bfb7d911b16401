module templates

go 1.19
