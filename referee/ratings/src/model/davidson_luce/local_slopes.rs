//! Slope and curvature of a few units.

/// Slope and curvature of some units, by the few parameters that they involve.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalSlopes {
    pub(crate) params: Vec<u32>,
    pub(crate) gradient: Vec<f64>,
    /// The negative second derivatives, in rows of `room` entries.
    curvature: Vec<f64>,
    room: usize,
}

impl LocalSlopes {
    pub(crate) fn clear(&mut self) {
        let size = self.params.len();
        for row in 0..size {
            self.curvature[row * self.room..][..size].fill(0.0);
        }
        self.params.clear();
        self.gradient.clear();
    }

    fn index(&mut self, param: u32) -> usize {
        if let Some(index) = self.params.iter().position(|known| *known == param) {
            return index;
        }
        if self.params.len() == self.room {
            self.grow();
        }
        self.params.push(param);
        self.gradient.push(0.0);
        self.params.len() - 1
    }

    fn grow(&mut self) {
        let (old, room) = (self.room, (2 * self.room).max(8));
        let mut curvature = vec![0.0; room * room];
        for row in 0..old {
            let from = &self.curvature[row * old..(row + 1) * old];
            curvature[row * room..row * room + old].copy_from_slice(from);
        }
        self.curvature = curvature;
        self.room = room;
    }

    pub(crate) fn slope(&mut self, param: u32, value: f64) {
        let index = self.index(param);
        self.gradient[index] += value;
    }

    /// Adds to a curvature, on one side of the diagonal.
    pub(crate) fn curve(&mut self, row: u32, column: u32, value: f64) {
        let (row, column) = (self.index(row), self.index(column));
        self.curvature[row * self.room + column] += value;
    }

    /// A curvature, by indices into `params`.
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.curvature[row * self.room + column]
    }
}
