//! A hash table from non-zero words to small values.

use core::cell::Cell;
use core::mem::size_of;
use core::ptr::null_mut;

use crate::system;

const FIRST_CAPACITY: usize = 1 << 13;

#[derive(Clone, Copy)]
struct Slot<V> {
    /// 0 for an empty slot.
    key: u64,
    value: V,
}

/// Open addressing with linear probing; the capacity is a power of two, at most half of it in use.
pub struct Table<V> {
    slots: Cell<*mut Slot<V>>,
    capacity: Cell<usize>,
    used: Cell<usize>,
}

impl<V: Copy> Table<V> {
    pub const fn new() -> Self {
        Self {
            slots: Cell::new(null_mut()),
            capacity: Cell::new(0),
            used: Cell::new(0),
        }
    }

    #[inline(always)]
    pub fn get(&self, key: u64) -> Option<V> {
        if self.capacity.get() == 0 {
            return None;
        }
        let slot = self.slot(key);
        // SAFETY: `slot` points into the allocation, which is initialised (zeroed or written).
        let found = unsafe { &*slot };
        (found.key == key).then_some(found.value)
    }

    /// Inserts or replaces. Without memory for growth the entry is forgotten: it is a cache.
    pub fn set(&self, key: u64, value: V) {
        if 2 * self.used.get() >= self.capacity.get() && !self.grow() {
            return;
        }
        let slot = self.slot(key);
        // SAFETY: as in `get`; nobody else holds a reference into the table.
        unsafe {
            if (*slot).key == 0 {
                self.used.set(self.used.get() + 1);
            }
            *slot = Slot { key, value };
        }
    }

    /// The slot that holds `key`, or the empty one where it belongs.
    #[inline(always)]
    fn slot(&self, key: u64) -> *mut Slot<V> {
        let mask = self.capacity.get() - 1;
        let mut index = hash(key) & mask;
        loop {
            // SAFETY: `index` is below the capacity. An empty slot ends the search, and half are empty.
            unsafe {
                let slot = self.slots.get().add(index);
                if (*slot).key == key || (*slot).key == 0 {
                    return slot;
                }
            }
            index = (index + 1) & mask;
        }
    }

    #[cold]
    fn grow(&self) -> bool {
        let (old, count) = (self.slots.get(), self.capacity.get());
        let capacity = if count == 0 {
            FIRST_CAPACITY
        } else {
            2 * count
        };
        // SAFETY: `calloc` has no preconditions; zeroed memory is a table of empty slots, whose values
        // are never read.
        let new = unsafe { system::calloc(capacity, size_of::<Slot<V>>()) }.cast::<Slot<V>>();
        if new.is_null() {
            return false;
        }
        self.slots.set(new);
        self.capacity.set(capacity);
        for index in 0..count {
            // SAFETY: `old` holds `count` slots; the new table has room for all of them.
            unsafe {
                let slot = *old.add(index);
                if slot.key != 0 {
                    *self.slot(slot.key) = slot;
                }
            }
        }
        // SAFETY: `old` came from `calloc` (or is null) and is not used any more.
        unsafe { system::free(old.cast()) };
        true
    }
}

#[inline(always)]
fn hash(key: u64) -> usize {
    let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)) as usize
}
