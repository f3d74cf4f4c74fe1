"""What is known about each data set: one row for each, and the only list of them.

A row names the target and the columns that are not plain numbers. To add a set, put its CSV file
(target last, empty cell for a missing value) into `data/`, a row here, and a loader in
`_loaders.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ._dataset import Kind, Task

_CC_BY = "CC BY 4.0"


@dataclass(frozen=True)
class Entry:
    """One data set. Columns named in neither `ordered` nor `nominal` are of kind `others`."""

    name: str
    description: str
    citation: str
    licence: str = _CC_BY
    target: str = "class"
    task: Task = "classification"
    nominal: tuple[str, ...] = ()
    ordered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # lowest first
    others: Kind = "numeric"
    compressed: bool = False

    @property
    def file(self) -> str:
        """Name of the file in `data/`."""
        return f"{self.name}.csv.gz" if self.compressed else f"{self.name}.csv"

    def kind_of(self, column: str) -> Kind:
        """Return the kind of a feature."""
        if column in self.ordered:
            return "ordered"
        return "nominal" if column in self.nominal else self.others


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _uci(authors: str, title: str, doi: str) -> str:
    return f"{authors}. {title}. UCI Machine Learning Repository. doi:{doi}"


_GERMAN_CREDIT = _uci("Hofmann, H. (1994)", "Statlog (German Credit Data)", "10.24432/C5NC77")

_ENTRIES = (
    Entry(
        name="adult",
        description=(
            "People in the 1994 United States census, and whether they earn more than 50,000 "
            "dollars a year. The source's training part is rows 1 to 32561, its test part the "
            "rest. `education_num` repeats `education` as a number."
        ),
        citation=_uci("Becker, B. and Kohavi, R. (1996)", "Adult", "10.24432/C5XW20"),
        target="income",
        nominal=_words("workclass marital_status occupation relationship race sex native_country"),
        ordered={
            "education": _words(
                "Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college "
                "Assoc-voc Assoc-acdm Bachelors Masters Prof-school Doctorate"
            )
        },
        compressed=True,
    ),
    Entry(
        name="balance_scale",
        description=(
            "All 625 settings of a balance with weights and distances from 1 to 5. The class is "
            "the side with the larger product of weight and distance, without noise."
        ),
        citation=_uci("Siegler, R. (1976)", "Balance Scale", "10.24432/C5488X"),
    ),
    Entry(
        name="boston_housing",
        description=(
            "Census tracts around Boston in 1970; the target is the median house value in "
            "thousands of dollars, cut off at 50. `chas` is 1 on the Charles River. For "
            "reproducing published results only: column `b` builds a claim about race and house "
            "prices into the data, and no licence is stated."
        ),
        citation=(
            "Harrison, D. and Rubinfeld, D. L. (1978). Hedonic prices and the demand for clean "
            "air. Journal of Environmental Economics and Management 5, 81-102. From StatLib."
        ),
        licence="none stated: no open licence",
        target="medv",
        task="regression",
        nominal=("chas",),
    ),
    Entry(
        name="breast_cancer_wdbc",
        description=(
            "Cell nuclei in images of breast tissue: ten measures, each as mean, standard error "
            "and worst value. The sample's identifier is left out."
        ),
        citation=_uci(
            "Wolberg, W., Mangasarian, O., Street, N. and Street, W. (1993)",
            "Breast Cancer Wisconsin (Diagnostic)",
            "10.24432/C5DW2B",
        ),
        target="diagnosis",
    ),
    Entry(
        name="breast_cancer_wisconsin",
        description=(
            "Breast tissue samples scored by eye from 1 to 10 on nine scales. `bare_nuclei` is "
            "missing in 16 rows. The sample's number is left out. Please credit Dr William H. "
            "Wolberg, University of Wisconsin Hospitals, Madison."
        ),
        citation=_uci(
            "Wolberg, W. (1990)", "Breast Cancer Wisconsin (Original)", "10.24432/C5HP4Z"
        ),
    ),
    Entry(
        name="bupa_liver",
        description=(
            "Blood tests of men, and how much they drink. `selector` only divides the rows into "
            "two parts and is no diagnosis, though most papers take it for the class; "
            "`drinks_per_day` is the outcome that was meant. Four rows are repeats."
        ),
        citation=_uci(
            "BUPA Medical Research Ltd; donor Forsyth, R. S. (1990)",
            "Liver Disorders",
            "10.24432/C54G67",
        ),
        target="selector",
    ),
    Entry(
        name="car_evaluation",
        description=(
            "Every combination of six properties of a car, once, and how acceptable the car is. "
            "The class has an order as well: unacc < acc < good < vgood."
        ),
        citation=_uci("Bohanec, M. (1988)", "Car Evaluation", "10.24432/C5JP48"),
        ordered={
            "buying": _words("low med high vhigh"),
            "maint": _words("low med high vhigh"),
            "doors": _words("2 3 4 5more"),
            "persons": _words("2 4 more"),
            "lug_boot": _words("small med big"),
            "safety": _words("low med high"),
        },
    ),
    Entry(
        name="cpu_performance",
        description=(
            "Computers of the 1980s; the target is their published relative performance. Most "
            "studies leave out `vendor_name`. The model's name and the source's own estimate of "
            "the target are not included."
        ),
        citation=_uci(
            "Feldmesser, J. (1987); Ein-Dor, P. and Feldmesser, J. (1987), CACM 30(4)",
            "Computer Hardware",
            "10.24432/C5830D",
        ),
        target="published_relative_performance",
        task="regression",
        nominal=("vendor_name",),
    ),
    Entry(
        name="credit_example",
        description=(
            "Ten loan applicants: small enough to work through by hand. Income is in thousands; "
            "a bad loan is one that was not paid back."
        ),
        citation="The worked example of lecture notes entitled Classification Trees.",
        licence="none stated: ten rows of a teaching example",
        nominal=_words("married own_house gender"),
    ),
    Entry(
        name="german_credit",
        description=(
            "Borrowers of a German bank, good and bad. The source asks for costs: taking a bad "
            "borrower for a good one costs 5, the reverse 1. Codes:\n"
            "checking_status: A11 below 0 DM, A12 below 200 DM, A13 from 200 DM, A14 no account\n"
            "credit_history: A30 no credits or all repaid, A31 all here repaid, A32 repaid so "
            "far, A33 delays in the past, A34 critical\n"
            "purpose: A40 new car, A41 used car, A42 furniture, A43 radio or television, A44 "
            "appliances, A45 repairs, A46 education, A48 retraining, A49 business, A410 other\n"
            "savings_status: A61 below 100 DM, A62 below 500, A63 below 1000, A64 from 1000, A65 "
            "unknown or none\n"
            "employment_since: A71 unemployed, A72 below 1 year, A73 below 4, A74 below 7, A75 "
            "from 7\n"
            "personal_status_and_sex: A91 man, divorced; A92 woman, divorced or married; A93 "
            "man, single; A94 man, married or widowed\n"
            "other_debtors: A101 none, A102 co-applicant, A103 guarantor\n"
            "property: A121 real estate, A122 savings agreement or life insurance, A123 car or "
            "other, A124 unknown or none\n"
            "other_installment_plans: A141 bank, A142 stores, A143 none\n"
            "housing: A151 rented, A152 own, A153 free\n"
            "job: A171 unskilled and non-resident, A172 unskilled, A173 skilled, A174 management\n"
            "telephone: A191 no, A192 yes\n"
            "foreign_worker: A201 yes, A202 no"
        ),
        citation=_GERMAN_CREDIT,
        nominal=_words(
            "checking_status credit_history purpose savings_status personal_status_and_sex "
            "other_debtors property other_installment_plans housing telephone foreign_worker"
        ),
        ordered={
            "employment_since": _words("A71 A72 A73 A74 A75"),
            "job": _words("A171 A172 A173 A174"),
        },
    ),
    Entry(
        name="german_credit_numeric",
        description=(
            "The borrowers of german_credit with 24 numeric columns: code numbers, amounts, and "
            "0/1 marks for some categories. The source does not name the columns; the names come "
            "from matching them with the original table, row by row."
        ),
        citation=_GERMAN_CREDIT,
    ),
    Entry(
        name="glass",
        description=(
            "Pieces of glass by refractive index and weight per cent of eight elements' oxides; "
            "the class is what the glass was made for. Rows are sorted by class."
        ),
        citation=_uci("German, B. (1987)", "Glass Identification", "10.24432/C5WW2P"),
    ),
    Entry(
        name="haberman",
        description=(
            "Women after surgery for breast cancer, and whether they lived five years more. "
            "`year_of_operation` counts from 1900."
        ),
        citation=_uci("Haberman, S. (1976)", "Haberman's Survival", "10.24432/C5XK51"),
    ),
    Entry(
        name="heart_disease",
        description=(
            "Patients of four hospitals, and whether they have heart disease. Rows 1 to 303 are "
            "from Cleveland, to 597 from Hungary, to 720 from Switzerland, to 920 from Long "
            "Beach. Zeros in `serum_cholesterol` (172) and `resting_blood_pressure` (1) cannot "
            "be real and are left as they are. Codes: sex 0 female, 1 male; chest_pain_type 1 "
            "typical angina, 2 atypical, 3 not angina, 4 asymptomatic; resting_ecg 0 normal, 1 "
            "ST-T abnormality, 2 hypertrophy; st_slope 1 up, 2 flat, 3 down; thal 3 normal, 6 "
            "fixed defect, 7 reversible defect; fasting_blood_sugar_gt_120 and "
            "exercise_induced_angina 0 no, 1 yes. Please name the investigators: Andras Janosi "
            "(Budapest), William Steinbrunn (Zurich), Matthias Pfisterer (Basel), Robert Detrano "
            "(Long Beach and Cleveland)."
        ),
        citation=_uci(
            "Janosi, A., Steinbrunn, W., Pfisterer, M. and Detrano, R. (1989)",
            "Heart Disease",
            "10.24432/C52P4X",
        ),
        nominal=_words(
            "sex chest_pain_type fasting_blood_sugar_gt_120 resting_ecg exercise_induced_angina "
            "thal"
        ),
        ordered={"st_slope": _words("1 2 3")},
    ),
    Entry(
        name="iris",
        description=(
            "Iris flowers of three species, measured in cm. Rows 35 and 38 differ from Fisher's "
            "article, and from the copies in R and scikit-learn, as the UCI file does."
        ),
        citation=_uci("Fisher, R. A. (1936)", "Iris", "10.24432/C56C76"),
    ),
    Entry(
        name="lymphography",
        description=(
            "Findings in X-ray pictures of lymph nodes, as code numbers. Codes: yes/no columns 1 "
            "no, 2 yes; lymphatics 1 normal, 2 arched, 3 deformed, 4 displaced; changes_in_lymph "
            "1 bean, 2 oval, 3 round; defect_in_node and changes_in_node 1 none, 2 lacunar, 3 "
            "lacunar marginal, 4 lacunar central; changes_in_structure 1 none, 2 grainy, 3 "
            "drop-like, 4 coarse, 5 diluted, 6 reticular, 7 stripped, 8 faint; special_forms 1 "
            "none, 2 chalices, 3 vesicles; number_of_nodes_in counts in tens. Two of the four "
            "classes are rare."
        ),
        citation=_uci(
            "Zwitter, M. and Soklic, M. (1988), University Medical Centre, Institute of "
            "Oncology, Ljubljana; donors Kononenko, I. and Cestnik, B",
            "Lymphography",
            "10.24432/C54598",
        ),
        ordered={
            "lymph_nodes_diminish": _words("1 2 3"),
            "lymph_nodes_enlarge": _words("1 2 3 4"),
            "number_of_nodes_in": _words("1 2 3 4 5 6 7 8"),
        },
        others="nominal",
    ),
    Entry(
        name="mushroom",
        description=(
            "Mushrooms as a field guide describes them, in one-letter codes: edible or not. "
            "`stalk_root` is missing in 2480 rows; `veil_type` has one value only."
        ),
        citation=_uci("Schlimmer, J. (1987)", "Mushroom", "10.24432/C5959T"),
        others="nominal",
    ),
    Entry(
        name="pima_indians_diabetes",
        description=(
            "Women of the Pima people, and whether they have diabetes. For reproducing published "
            "results only: the set was withdrawn from its repository and has no open licence. "
            "Zeros in `plasma_glucose`, `diastolic_blood_pressure`, `triceps_skin_fold`, "
            "`serum_insulin` and `body_mass_index` cannot be real and are left as they are."
        ),
        citation=(
            "Smith, J. W. and others (1988). Using the ADAP learning algorithm to forecast the "
            "onset of diabetes mellitus. Owner: National Institute of Diabetes and Digestive and "
            "Kidney Diseases; donor V. Sigillito (1990)."
        ),
        licence="no open licence: withdrawn from the UCI repository",
    ),
    Entry(
        name="sonar",
        description=(
            "Sonar echoes from a metal cylinder (mine) or a rock: energy in 60 frequency bands, "
            "from 0 to 1. Rows are sorted by class."
        ),
        citation=_uci(
            "Sejnowski, T. and Gorman, R",
            "Connectionist Bench (Sonar, Mines vs. Rocks)",
            "10.24432/C5T01Q",
        ),
    ),
    Entry(
        name="waveform",
        description=(
            "Noisy mixtures of two of three triangular waves at 21 points; the class is the pair: "
            "0 second and third, 1 first and third, 2 first and second. The waves peak at points "
            "11, 15 and 7."
        ),
        citation=_uci(
            "Breiman, L. and Stone, C. (1984)",
            "Waveform Database Generator (Version 1)",
            "10.24432/C5CS3C",
        ),
    ),
    Entry(
        name="wine",
        description="Chemical analysis of wines from three cultivars, which have no names.",
        citation=_uci("Aeberhard, S. and Forina, M. (1992)", "Wine", "10.24432/C5PC7J"),
    ),
    Entry(
        name="yeast",
        description=(
            "Proteins of yeast and where in the cell they are found: ten places, some rare. The "
            "sequence's name is left out."
        ),
        citation=_uci("Nakai, K. (1991)", "Yeast", "10.24432/C5KG68"),
    ),
)

REGISTRY: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES}
