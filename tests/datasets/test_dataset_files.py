"""The shipped files are the ones that were checked against their sources."""

import gzip
import hashlib
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from spinney.datasets._registry import REGISTRY

SHA256 = {
    "adult": "f7a97ef60a6fc033d3c21293e263d1f74b2e402187e83291841d85de23348e5d",
    "balance_scale": "95dcd237c9e7d74370b8a8101674cd12f9d443050cf7b06d3aaa45dbbfef4fa7",
    "boston_housing": "24ec814c9b6c5bb1cae0f6d203636413195ade13a34b62920787599f63eefd7e",
    "breast_cancer_wdbc": "75b8021d12b47399e50ab6ca4fbc11a8435f91540ecb6bb2434de557a5049510",
    "breast_cancer_wisconsin": "1a418397ff52759fdc3afe718d6565957f669fd5ab985bfd8f152d68973906a9",
    "bupa_liver": "38ff15c927c6a359d3c1c6a5e4156f7d095a094115394dc4884e7d4097337aa8",
    "car_evaluation": "0023b86e0dd3502aaa0e4a610ef4d8aebbba7ff40f53fa7c2f0543c68bee5114",
    "cpu_performance": "654a0beb4f5bc47f870d86d1aadcd5fdd486905e44fedef16fcdbe3216d554ea",
    "credit_example": "c1b58d69abc78a39ab7f94d53a7841747f9e210be14700ee02d0b50a7134c931",
    "german_credit": "6fed1a3ecc0a046669a213b9162aff4fa3b88ac55ef5e8d22a15dbbbfe88476a",
    "german_credit_numeric": "ae1bd44b5c625e190c95571206667094ae15bb19fac4621f5d01c8dc9e0bb407",
    "glass": "6424fc552e76582ec1e36d92a1cf1395953a85dae56414167ecec407b4d62adc",
    "haberman": "ebf1a22b1d10f49f28dd0783deec14cc11868ee33fa58a7d940141cde45144ef",
    "heart_disease": "ffbec80fead2b794eb9128e3be4524798d3e6e1f068f627f7a831553844e5d3b",
    "insurance": "36610da0a2eb6d369c91f395d60bd03028af5c765474be3c2ac03d8c9a1995db",
    "iris": "6e6387d519c16e838de741be3bb057361038fcc2223b179f39a741d5457b391c",
    "lung": "ec7f6537639b014ac6ccbcf240dcaf585766b9ca7c2a2741952c35cf6736c8e0",
    "lymphography": "5f06f3082ae6b0b59754fbc4346ec7208ed7b6c202327f4e0fb4fefe2f8bd7dd",
    "mushroom": "a296654e79dcb5e62b19e799d6faede0b3d2e497eb8f2334d8ee7ab71ec016e0",
    "pbc": "9a4399dce97505443dff90feef79369e0155a629bceb845b2b5208238c37fefd",
    "pima_indians_diabetes": "cadd647b3c13a71fd009cce69330b8cc1898b3894035c04f08bc0a629af9fe07",
    "solder": "81293e0c16f6cb36098ca0e1628614f93f1a1d212e7fdf8d48a51367943a1042",
    "sonar": "0f0f9aef5ed617d7a97b1c510d6b6afeed9a1433cf3e7673641d0f245afb1a26",
    "veteran": "5d01532689e1f410fc18b3505bb1023f5d500cc8dc6aa4ef288b6a107c80068c",
    "waveform": "891fd563bb8ebada0078bfbf723f30a6aec106d7d20c0e1472664ae0d9363611",
    "wine": "7db7ba766e08efb197208c47206451b2e0c1553df5390b18266442b12ffb96a8",
    "yeast": "b0bc5b34b1946fedc23506ec9fdca74ad7e16cbb76d3eecd93e00f6ebd27bf2b",
}
SHA256_ADULT_UNPACKED = "9479f8b76861e48c66836d97937f2c5a469581672e12c795d770b297817ae3a1"


@pytest.fixture
def folder():
    return files("spinney.datasets") / "data"


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_file_has_the_checksum_of_the_checked_copy(folder, name):
    content = (folder / REGISTRY[name].file).read_bytes()
    assert hashlib.sha256(content).hexdigest() == SHA256[name]


def test_unpacked_adult_file_has_its_checksum(folder):
    content = gzip.decompress((folder / "adult.csv.gz").read_bytes())
    assert hashlib.sha256(content).hexdigest() == SHA256_ADULT_UNPACKED


def test_every_data_file_is_registered_and_no_other_is_there(folder):
    found = {path.name for path in folder.iterdir() if path.name != "LICENCES.md"}
    assert found == {entry.file for entry in REGISTRY.values()}


def test_files_stay_small_enough_to_ship(folder):
    assert sum(len(path.read_bytes()) for path in folder.iterdir()) < 2_300_000


def test_licence_table_gives_terms_and_doi_of_every_file(folder):
    rows = {}
    for line in (folder / "LICENCES.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            file, terms, source = (cell.strip() for cell in line.strip("|").split("|"))
            rows[file.strip("`")] = (terms, source)
    assert set(rows) == {entry.file for entry in REGISTRY.values()}
    for entry in REGISTRY.values():
        terms, source = rows[entry.file]
        assert entry.licence.startswith(terms)
        if "doi:" in source:
            assert entry.citation.endswith(source.split()[-1])


def test_a_set_without_a_doi_is_not_called_open():
    without = {name for name, entry in REGISTRY.items() if "doi:10." not in entry.citation}
    of_r = {name for name, entry in REGISTRY.items() if "as the R package" in entry.licence}
    assert of_r == {"insurance", "lung", "pbc", "solder", "veteran"}
    assert without - of_r == {"boston_housing", "credit_example", "pima_indians_diabetes"}
    assert without == {name for name, entry in REGISTRY.items() if entry.licence != "CC BY 4.0"}


def test_the_files_from_r_are_what_its_packages_hold(folder, tmp_path):
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    script = Path(__file__).with_name("make_from_r.R")
    done = subprocess.run(["Rscript", script, tmp_path], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("R's survival or MASS is not installed")
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes(), path.name
    assert len(list(tmp_path.iterdir())) == 5
