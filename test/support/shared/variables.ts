/** Variables of the Worker in tests, in workerd and in Miniflare. The secrets are used only here. */
export const testVariables = {
	ENVIRONMENT: 'test',
	AUTH_SECRET: 'a-secret-that-is-only-good-for-tests-0123456789',
	FLEET_TOKEN: 'a-fleet-token-that-is-only-good-for-tests',
	// Otherwise the first sweep of each test makes one.
	BACKUPS_ENABLED: 'false',
}

/** Not set by default: metrics do not exist without it. */
export const METRICS_TOKEN = 'a-metrics-token-that-is-only-good-for-tests'
