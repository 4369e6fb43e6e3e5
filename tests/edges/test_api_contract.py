"""The OpenAPI document is a contract: no fault of ours, no status that it does not name."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import checks
from web_app import application

FOLDER = tempfile.TemporaryDirectory(prefix="hickam-contract-")
APP = application(Path(FOLDER.name))
schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", APP)
PROMISES = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@schema.parametrize()
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_the_document_promises(case: Any) -> None:
    if "network_id" in (case.path_parameters or {}):
        case.path_parameters["network_id"] = "smoker"
    case.call_and_validate(checks=PROMISES)
