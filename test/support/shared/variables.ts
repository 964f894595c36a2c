/** Set-up of the Worker under test, in workerd and in Miniflare alike. The secrets are worth nothing. */
export const testVariables = {
	ENVIRONMENT: 'test',
	AUTH_SECRET: 'a-secret-that-is-only-good-for-tests-0123456789',
	FLEET_TOKEN: 'a-fleet-token-that-is-only-good-for-tests',
}
