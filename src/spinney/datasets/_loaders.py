"""A loader for each data set; the facts about them are in `registry.toml`."""

from ._dataset import Dataset, Format, load


def load_adult(as_: Format | None = None) -> Dataset:
    """Load the census data on who earns more than 50,000 dollars.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        48842 people, 6 numeric, 7 nominal and 1 ordered feature, 6465 missing cells.
    """
    return load("adult", as_)


def load_balance_scale(as_: Format | None = None) -> Dataset:
    """Load the settings of a balance and the side it tips to.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        625 rows, 4 numeric features, three classes.
    """
    return load("balance_scale", as_)


def load_boston_housing(as_: Format | None = None) -> Dataset:
    """Load the Boston house values.

    This set is here for reproducing published results only. It carries no open licence, and one
    of its columns encodes an assumption about race and house prices.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        506 tracts, 12 numeric features and 1 nominal one, for regression.
    """
    return load("boston_housing", as_)


def load_breast_cancer_wdbc(as_: Format | None = None) -> Dataset:
    """Load the diagnostic Wisconsin breast cancer data (image measures).

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        569 samples, 30 numeric features, two classes.
    """
    return load("breast_cancer_wdbc", as_)


def load_breast_cancer_wisconsin(as_: Format | None = None) -> Dataset:
    """Load the original Wisconsin breast cancer data (scores from 1 to 10).

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        699 samples, 9 numeric features, two classes, 16 missing cells.
    """
    return load("breast_cancer_wisconsin", as_)


def load_bupa_liver(as_: Format | None = None) -> Dataset:
    """Load the BUPA liver data.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        345 men, 6 numeric features, two parts; see the description before using them as classes.
    """
    return load("bupa_liver", as_)


def load_car_evaluation(as_: Format | None = None) -> Dataset:
    """Load the car ratings, all of whose features are ordered.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        1728 cars, 6 ordered features, four classes.
    """
    return load("car_evaluation", as_)


def load_cpu_performance(as_: Format | None = None) -> Dataset:
    """Load the computers of the 1980s and their performance.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        209 machines, 6 numeric features and 1 nominal one, for regression.
    """
    return load("cpu_performance", as_)


def load_credit_example(as_: Format | None = None) -> Dataset:
    """Load ten loan applicants, an example to work through by hand.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        10 applicants, 2 numeric and 3 nominal features, two classes of five.
    """
    return load("credit_example", as_)


def load_german_credit(as_: Format | None = None) -> Dataset:
    """Load the German credit data in its original form.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        1000 borrowers, 7 numeric, 11 nominal and 2 ordered features, two classes.
    """
    return load("german_credit", as_)


def load_german_credit_numeric(as_: Format | None = None) -> Dataset:
    """Load the German credit data in the version with numbers only.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        1000 borrowers, 24 numeric features, two classes.
    """
    return load("german_credit_numeric", as_)


def load_glass(as_: Format | None = None) -> Dataset:
    """Load the glass fragments and what they were made for.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        214 pieces, 9 numeric features, six classes.
    """
    return load("glass", as_)


def load_haberman(as_: Format | None = None) -> Dataset:
    """Load the survival of women after surgery for breast cancer.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        306 patients, 3 numeric features, two classes.
    """
    return load("haberman", as_)


def load_heart_disease(as_: Format | None = None) -> Dataset:
    """Load the heart disease data of four hospitals.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        920 patients, 6 numeric, 6 nominal and 1 ordered feature, two classes, 1759 missing cells.
    """
    return load("heart_disease", as_)


def load_insurance(as_: Format | None = None) -> Dataset:
    """Load the claims of holders of car insurance, counted with exposure.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        64 groups of holders, 1 nominal and 2 ordered features, counts with `exposure`, for
        regression.
    """
    return load("insurance", as_)


def load_iris(as_: Format | None = None) -> Dataset:
    """Load the measurements of iris flowers.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        150 flowers, 4 numeric features, three classes.
    """
    return load("iris", as_)


def load_lung(as_: Format | None = None) -> Dataset:
    """Load the lifetimes of patients with advanced lung cancer.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        228 patients, 6 numeric features and 1 nominal one, 66 missing cells, 165 deaths, for
        survival.
    """
    return load("lung", as_)


def load_lymphography(as_: Format | None = None) -> Dataset:
    """Load the findings in pictures of lymph nodes.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        148 patients, 15 nominal and 3 ordered features, four classes.
    """
    return load("lymphography", as_)


def load_mushroom(as_: Format | None = None) -> Dataset:
    """Load the edible and the poisonous mushrooms.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        8124 mushrooms, 22 nominal features, two classes, 2480 missing cells.
    """
    return load("mushroom", as_)


def load_pbc(as_: Format | None = None) -> Dataset:
    """Load the lifetimes of patients with a disease of the liver.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        418 patients, 12 numeric and 5 nominal features, 1033 missing cells, 161 deaths, for
        survival.
    """
    return load("pbc", as_)


def load_pima_indians_diabetes(as_: Format | None = None) -> Dataset:
    """Load the Pima diabetes data.

    This set is here for reproducing published results only. It was withdrawn from its repository
    and carries no open licence.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        768 women, 8 numeric features, two classes.
    """
    return load("pima_indians_diabetes", as_)


def load_solder(as_: Format | None = None) -> Dataset:
    """Load the gaps that soldering left on circuit boards.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        900 places on boards, 4 nominal features and 1 ordered one, counts, for regression.
    """
    return load("solder", as_)


def load_sonar(as_: Format | None = None) -> Dataset:
    """Load the sonar echoes of mines and rocks.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        208 echoes, 60 numeric features, two classes.
    """
    return load("sonar", as_)


def load_veteran(as_: Format | None = None) -> Dataset:
    """Load the lifetimes of veterans with lung cancer.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        137 patients, 3 numeric and 3 nominal features, 128 deaths, for survival.
    """
    return load("veteran", as_)


def load_waveform(as_: Format | None = None) -> Dataset:
    """Load noisy mixtures of triangular waves.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        5000 waves, 21 numeric features, three classes.
    """
    return load("waveform", as_)


def load_wine(as_: Format | None = None) -> Dataset:
    """Load the chemical analysis of wines from three cultivars.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        178 wines, 13 numeric features, three classes.
    """
    return load("wine", as_)


def load_yeast(as_: Format | None = None) -> Dataset:
    """Load the places in the cell where yeast proteins are found.

    Parameters
    ----------
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table. Default: pandas if installed, else a dict of arrays.

    Returns
    -------
    Dataset
        1484 proteins, 8 numeric features, ten classes.
    """
    return load("yeast", as_)
