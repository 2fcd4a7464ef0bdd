//! Lists of functions that `--probe @NAME` stands for: those by which programs use a library.

/// Name, and globs
pub const LISTS: [(&str, &str); 6] = [
    // Functions of HDF5's inside have another capital letter or an underscore there.
    ("hdf5", "H5[ADFGLO][a-z]*"),
    ("netcdf", "nc_*"),
    ("pnetcdf", "ncmpi_*"),
    ("cufile", "cuFile*"),
    ("daos", "daos_*,dfs_*,dfuse_*"),
    ("adios2", "adios2_*,_ZN6adios2[0-9]*Engine*"),
];

/// What a word of `--probe` stands for
pub fn expanded(word: &str) -> Result<&str, String> {
    let Some(name) = word.strip_prefix('@') else {
        return Ok(word);
    };
    let found = LISTS.iter().find(|(list, _)| *list == name);
    found.map(|(_, globs)| *globs).ok_or_else(|| {
        let names: Vec<_> = LISTS.iter().map(|(list, _)| format!("@{list}")).collect();
        format!(
            "--probe {word}: there is no such list, but {}",
            names.join(", ")
        )
    })
}
