"""The targets: a file each, with one public function, `fuzz`."""
