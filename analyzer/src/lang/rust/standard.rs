//! Traits of the standard library and other code: which methods their imports are for.

/// Traits that are imported for their methods, with those methods.
const TRAITS: &[(&str, &[&str])] = &[
    (
        "Write",
        &[
            "write",
            "write_all",
            "write_fmt",
            "write_str",
            "write_char",
            "flush",
            "by_ref",
            "write_vectored",
        ],
    ),
    (
        "Read",
        &[
            "read",
            "read_to_end",
            "read_to_string",
            "read_exact",
            "bytes",
            "chain",
            "take",
            "by_ref",
        ],
    ),
    (
        "BufRead",
        &[
            "fill_buf",
            "consume",
            "read_until",
            "read_line",
            "lines",
            "split",
        ],
    ),
    ("Seek", &["seek", "rewind", "stream_position"]),
    ("FromStr", &["from_str"]),
    ("Hash", &["hash", "hash_slice"]),
    (
        "Hasher",
        &[
            "finish",
            "write",
            "write_u8",
            "write_u16",
            "write_u32",
            "write_u64",
            "write_usize",
        ],
    ),
    ("BuildHasher", &["build_hasher", "hash_one"]),
    ("Borrow", &["borrow"]),
    ("BorrowMut", &["borrow_mut"]),
    ("Deref", &["deref"]),
    ("DerefMut", &["deref_mut"]),
    ("Display", &["fmt"]),
    ("Debug", &["fmt"]),
    ("Error", &["source", "description", "cause"]),
    ("Index", &["index"]),
    ("IndexMut", &["index_mut"]),
    ("Add", &["add"]),
    ("Sub", &["sub"]),
    ("Mul", &["mul"]),
    ("Div", &["div"]),
    ("Neg", &["neg"]),
    ("Not", &["not"]),
    ("RangeBounds", &["start_bound", "end_bound", "contains"]),
    ("ToSocketAddrs", &["to_socket_addrs"]),
    ("Any", &["type_id"]),
];

/// Types of the standard library that are often imported and are no traits.
const TYPES: &[&str] = &[
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "VecDeque",
    "Rc",
    "Arc",
    "Mutex",
    "RwLock",
    "Cell",
    "RefCell",
    "Path",
    "PathBuf",
    "Ordering",
    "Duration",
    "Instant",
    "PhantomData",
    "Cow",
    "String",
    "Vec",
    "Range",
    "RangeInclusive",
    "Formatter",
    "Layout",
    "NonNull",
    "File",
    "Entry",
];

/// Whether a method may come from a trait; one that is not known may have any.
pub(super) fn may_have(of: &str, method: &str) -> bool {
    match TRAITS.iter().find(|(name, _)| *name == of) {
        Some((_, methods)) => methods.contains(&method),
        None => !TYPES.contains(&of),
    }
}
