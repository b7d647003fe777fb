""" Contains all the data models used in inputs/outputs """

from .account import Account
from .agent_access import AgentAccess
from .agent_store import AgentStore
from .answer import Answer
from .answer_degraded_item import AnswerDegradedItem
from .answer_reason import AnswerReason
from .anthropic_tool import AnthropicTool
from .anthropic_tool_input_schema import AnthropicToolInputSchema
from .api_key_list import APIKeyList
from .api_key_request import APIKeyRequest
from .batch import Batch
from .batch_item import BatchItem
from .batch_item_op import BatchItemOp
from .batch_outcome import BatchOutcome
from .batch_problem import BatchProblem
from .batch_result import BatchResult
from .caps import Caps
from .change import Change
from .change_page import ChangePage
from .charge import Charge
from .charge_state import ChargeState
from .condition import Condition
from .encrypted_condition import EncryptedCondition
from .entry import Entry
from .entry_explanation import EntryExplanation
from .entry_explanation_outcome import EntryExplanationOutcome
from .explain import Explain
from .explain_via import ExplainVia
from .explained_path import ExplainedPath
from .explanation import Explanation
from .filter_explanation import FilterExplanation
from .filter_option import FilterOption
from .grant import Grant
from .grants import Grants
from .health import Health
from .health_encoder import HealthEncoder
from .health_limit import HealthLimit
from .health_minute import HealthMinute
from .health_queue import HealthQueue
from .health_searches import HealthSearches
from .health_step import HealthStep
from .health_storage import HealthStorage
from .health_stores import HealthStores
from .health_vector import HealthVector
from .health_vector_reconciled import HealthVectorReconciled
from .health_versions import HealthVersions
from .hit import Hit
from .import_line import ImportLine
from .import_result import ImportResult
from .issued_key import IssuedKey
from .issued_key_kind import IssuedKeyKind
from .issued_key_state import IssuedKeyState
from .judgement import Judgement
from .key_set import KeySet
from .label import Label
from .label_condition import LabelCondition
from .language import Language
from .language_choice import LanguageChoice
from .leg_rank import LegRank
from .level import Level
from .list_sales_by import ListSalesBy
from .list_tools_format import ListToolsFormat
from .live import Live
from .live_status import LiveStatus
from .made_api_key import MadeAPIKey
from .member_condition import MemberCondition
from .membership import Membership
from .named_time import NamedTime
from .nearest import Nearest
from .offer import Offer
from .offer_caps import OfferCaps
from .offer_change import OfferChange
from .offer_page import OfferPage
from .offer_question import OfferQuestion
from .offer_request import OfferRequest
from .offer_state import OfferState
from .open_ai_tool import OpenAITool
from .open_ai_tool_function import OpenAIToolFunction
from .open_ai_tool_function_parameters import OpenAIToolFunctionParameters
from .open_ai_tool_type import OpenAIToolType
from .open_console_body import OpenConsoleBody
from .open_console_response_200 import OpenConsoleResponse200
from .openapi_response_200 import OpenapiResponse200
from .option_explanation import OptionExplanation
from .optional_time_condition import OptionalTimeCondition
from .page import Page
from .passage import Passage
from .payment_requirement import PaymentRequirement
from .payment_requirement_extra import PaymentRequirementExtra
from .problem import Problem
from .problem_type import ProblemType
from .problem_x402_version import ProblemX402Version
from .purge import Purge
from .purged import Purged
from .put_memory_wait import PutMemoryWait
from .question import Question
from .question_mode import QuestionMode
from .question_ranking import QuestionRanking
from .readers import Readers
from .reading_progress import ReadingProgress
from .ready import Ready
from .ready_queue_waits_s import ReadyQueueWaitsS
from .ready_status import ReadyStatus
from .receipt_key import ReceiptKey
from .receipt_key_crv import ReceiptKeyCrv
from .receipt_key_kty import ReceiptKeyKty
from .recency import Recency
from .refunded_charge import RefundedCharge
from .refusal import Refusal
from .rename import Rename
from .restore import Restore
from .revoked import Revoked
from .root_response_200 import RootResponse200
from .sales import Sales
from .sales_row import SalesRow
from .scope import Scope
from .settings import Settings
from .share import Share
from .similar import Similar
from .skipped import Skipped
from .skipped_reason import SkippedReason
from .slow_searches import SlowSearches
from .slow_searches_steps_ms import SlowSearchesStepsMs
from .store_info import StoreInfo
from .store_info_kind import StoreInfoKind
from .store_language import StoreLanguage
from .store_offers import StoreOffers
from .stores import Stores
from .summand import Summand
from .tags_condition import TagsCondition
from .terms import Terms
from .terms_change import TermsChange
from .terms_request import TermsRequest
from .text_condition import TextCondition
from .time_condition import TimeCondition
from .tool_list import ToolList
from .tool_result import ToolResult
from .transfer import Transfer
from .trash_page import TrashPage
from .trashed import Trashed
from .type_ import Type
from .type_condition import TypeCondition
from .type_condition_eq import TypeConditionEq
from .type_condition_in_item import TypeConditionInItem
from .type_condition_ne import TypeConditionNe
from .type_condition_nin_item import TypeConditionNinItem
from .typo import Typo
from .usage import Usage
from .used_charge import UsedCharge
from .used_charge_keys import UsedChargeKeys
from .words import Words
from .write import Write
from .written import Written

__all__ = (
    "Account",
    "AgentAccess",
    "AgentStore",
    "Answer",
    "AnswerDegradedItem",
    "AnswerReason",
    "AnthropicTool",
    "AnthropicToolInputSchema",
    "APIKeyList",
    "APIKeyRequest",
    "Batch",
    "BatchItem",
    "BatchItemOp",
    "BatchOutcome",
    "BatchProblem",
    "BatchResult",
    "Caps",
    "Change",
    "ChangePage",
    "Charge",
    "ChargeState",
    "Condition",
    "EncryptedCondition",
    "Entry",
    "EntryExplanation",
    "EntryExplanationOutcome",
    "Explain",
    "ExplainedPath",
    "ExplainVia",
    "Explanation",
    "FilterExplanation",
    "FilterOption",
    "Grant",
    "Grants",
    "Health",
    "HealthEncoder",
    "HealthLimit",
    "HealthMinute",
    "HealthQueue",
    "HealthSearches",
    "HealthStep",
    "HealthStorage",
    "HealthStores",
    "HealthVector",
    "HealthVectorReconciled",
    "HealthVersions",
    "Hit",
    "ImportLine",
    "ImportResult",
    "IssuedKey",
    "IssuedKeyKind",
    "IssuedKeyState",
    "Judgement",
    "KeySet",
    "Label",
    "LabelCondition",
    "Language",
    "LanguageChoice",
    "LegRank",
    "Level",
    "ListSalesBy",
    "ListToolsFormat",
    "Live",
    "LiveStatus",
    "MadeAPIKey",
    "MemberCondition",
    "Membership",
    "NamedTime",
    "Nearest",
    "Offer",
    "OfferCaps",
    "OfferChange",
    "OfferPage",
    "OfferQuestion",
    "OfferRequest",
    "OfferState",
    "OpenAITool",
    "OpenAIToolFunction",
    "OpenAIToolFunctionParameters",
    "OpenAIToolType",
    "OpenapiResponse200",
    "OpenConsoleBody",
    "OpenConsoleResponse200",
    "OptionalTimeCondition",
    "OptionExplanation",
    "Page",
    "Passage",
    "PaymentRequirement",
    "PaymentRequirementExtra",
    "Problem",
    "ProblemType",
    "ProblemX402Version",
    "Purge",
    "Purged",
    "PutMemoryWait",
    "Question",
    "QuestionMode",
    "QuestionRanking",
    "Readers",
    "ReadingProgress",
    "Ready",
    "ReadyQueueWaitsS",
    "ReadyStatus",
    "ReceiptKey",
    "ReceiptKeyCrv",
    "ReceiptKeyKty",
    "Recency",
    "RefundedCharge",
    "Refusal",
    "Rename",
    "Restore",
    "Revoked",
    "RootResponse200",
    "Sales",
    "SalesRow",
    "Scope",
    "Settings",
    "Share",
    "Similar",
    "Skipped",
    "SkippedReason",
    "SlowSearches",
    "SlowSearchesStepsMs",
    "StoreInfo",
    "StoreInfoKind",
    "StoreLanguage",
    "StoreOffers",
    "Stores",
    "Summand",
    "TagsCondition",
    "Terms",
    "TermsChange",
    "TermsRequest",
    "TextCondition",
    "TimeCondition",
    "ToolList",
    "ToolResult",
    "Transfer",
    "Trashed",
    "TrashPage",
    "Type",
    "TypeCondition",
    "TypeConditionEq",
    "TypeConditionInItem",
    "TypeConditionNe",
    "TypeConditionNinItem",
    "Typo",
    "Usage",
    "UsedCharge",
    "UsedChargeKeys",
    "Words",
    "Write",
    "Written",
)
