//! Properties that tests and fuzz targets share.
