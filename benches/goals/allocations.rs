//! Counts what a closure allocates, and the most it holds at once.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

static COUNTING: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicUsize = AtomicUsize::new(0);
static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

// SAFETY: every call goes to the system's allocator as it came; the counters touch no memory of it.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(0, layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if COUNTING.load(Relaxed) {
            HELD.fetch_sub(layout.size(), Relaxed);
        }
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(layout.size(), size);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

fn note(before: usize, after: usize) {
    if COUNTING.load(Relaxed) {
        COUNT.fetch_add(1, Relaxed);
        let held = HELD.fetch_add(after.wrapping_sub(before), Relaxed).wrapping_add(after.wrapping_sub(before));
        // What was there before the count began may be given back during it.
        if held < usize::MAX / 2 {
            PEAK.fetch_max(held, Relaxed);
        }
    }
}

/// What one run of a closure took.
pub(crate) struct Allocated {
    /// Allocations and growths.
    pub(crate) count: usize,
    /// The most bytes held at once beyond those held before.
    pub(crate) peak: usize,
}

/// Runs a closure and counts. Only one at a time, on one thread.
pub(crate) fn allocated<T>(run: impl FnOnce() -> T) -> Allocated {
    [&COUNT, &HELD, &PEAK].iter().for_each(|counter| counter.store(0, Relaxed));
    COUNTING.store(true, Relaxed);
    let output = run();
    COUNTING.store(false, Relaxed);
    drop(output);
    Allocated { count: COUNT.load(Relaxed), peak: PEAK.load(Relaxed) }
}
