//! Counts by number, which are emptied at the cost of what was counted.

#[derive(Default)]
pub struct Tally {
    counts: Vec<u32>,
    /// Numbers with a count, each once.
    touched: Vec<u32>,
}

impl Tally {
    pub fn reserve(&mut self, numbers: usize) {
        if self.counts.len() < numbers {
            self.counts.resize(numbers, 0);
        }
    }

    #[inline]
    pub fn add(&mut self, number: u32, count: u32) {
        let held = &mut self.counts[number as usize];
        if *held == 0 {
            self.touched.push(number);
        }
        *held += count;
    }

    pub fn distinct(&self) -> usize {
        self.touched.len()
    }

    /// Number and count of the commonest; among equals the lower number comes first.
    pub fn most(&self, size: usize) -> Vec<(u32, u32)> {
        let mut most: Vec<(u32, u32)> = Vec::with_capacity(size + 1);
        for &number in &self.touched {
            let count = self.counts[number as usize];
            let is_less = |&(other, more): &(u32, u32)| more > count || (more == count && other < number);
            if most.len() == size && most.last().is_some_and(is_less) {
                continue;
            }
            most.insert(most.partition_point(is_less), (number, count));
            most.truncate(size);
        }
        most
    }

    /// Empties it.
    pub fn drain(&mut self, mut each: impl FnMut(u32, u32)) {
        for number in self.touched.drain(..) {
            each(number, std::mem::take(&mut self.counts[number as usize]));
        }
    }
}
