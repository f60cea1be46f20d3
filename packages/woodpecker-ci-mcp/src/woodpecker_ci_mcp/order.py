"""The tools in listing order, and the presets among them."""

REPOSITORIES = (
    "list_repositories",
    "get_repository",
    "lookup_repository",
    "get_repository_permissions",
    "list_repository_branches",
    "list_pull_requests",
    "activate_repository",
    "update_repository",
    "repair_repository",
    "move_repository",
    "chown_repository",
    "delete_repository",
)

PIPELINES = (
    "list_pipelines",
    "get_pipeline",
    "get_pipeline_config",
    "get_pipeline_metadata",
    "list_queued_pipelines",
    "trigger_pipeline",
    "restart_pipeline",
    "cancel_pipeline",
    "approve_pipeline",
    "decline_pipeline",
    "delete_pipeline",
    "get_step_logs",
    "delete_step_logs",
    "delete_pipeline_logs",
)

CREDENTIALS = (
    "list_secrets",
    "get_secret",
    "create_secret",
    "update_secret",
    "delete_secret",
    "list_registries",
    "get_registry",
    "create_registry",
    "update_registry",
    "delete_registry",
)

CRONS = ("list_crons", "get_cron", "create_cron", "update_cron", "run_cron", "delete_cron")

ADMIN = (
    "list_organizations",
    "get_organization",
    "lookup_organization",
    "get_organization_permissions",
    "delete_organization",
    "get_current_user",
    "get_pipeline_feed",
    "list_users",
    "get_user",
    "create_user",
    "update_user",
    "delete_user",
    "list_agents",
    "get_agent",
    "list_agent_tasks",
    "create_agent",
    "update_agent",
    "delete_agent",
    "list_forges",
    "get_forge",
    "create_forge",
    "update_forge",
    "delete_forge",
    "get_server_info",
    "get_queue_info",
    "get_log_level",
    "pause_queue",
    "resume_queue",
    "set_log_level",
)

_STORY = ("wait_for_pipeline", "diagnose_pipeline")
EXTRAS = (*_STORY, "why_not_running")
"""Tools that are off by default."""

ORDER = (*REPOSITORIES, *PIPELINES, *CREDENTIALS, *CRONS, *ADMIN, *EXTRAS)

ESSENTIAL = (
    "list_repositories",
    "get_repository",
    "list_pipelines",
    "get_pipeline",
    "get_step_logs",
    "trigger_pipeline",
    "restart_pipeline",
    "cancel_pipeline",
    *_STORY,
)

_READS = ("get_", "list_", "lookup_")
READ = (*(name for name in ORDER if name.startswith(_READS)), *EXTRAS)
DIAGNOSE = (
    *(name for name in (*REPOSITORIES, *PIPELINES) if name in READ),
    "get_server_info",
    *EXTRAS,
)
OPERATE = (
    *DIAGNOSE,
    "trigger_pipeline",
    "restart_pipeline",
    "cancel_pipeline",
    "approve_pipeline",
    "decline_pipeline",
    "list_crons",
    "get_cron",
    "run_cron",
)
MAINTAIN = tuple(
    dict.fromkeys((*OPERATE, *REPOSITORIES, *PIPELINES, *CREDENTIALS, *CRONS)),
)
