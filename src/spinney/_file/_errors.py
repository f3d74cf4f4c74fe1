"""What goes wrong with model files."""


class ModelFileError(ValueError):
    """A file that is no model file of this version of spinney, or a model that cannot be one."""
