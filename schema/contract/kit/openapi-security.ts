import type { JsonSchema } from './openapi-schemas.ts'
import type { Auth, Operation } from './operation.ts'

/** Describes who may call, because OpenAPI has no field for roles and for scopes of API keys. */
const access: Record<Auth, string> = {
	public: '',
	viewer: 'Open to everyone; members of the organization and its API keys may see more.',
	session: 'Requires a signed-in user.',
	'unverified-session': 'Requires a signed-in user, who need not have verified their email address yet.',
	renewal: 'Requires a session token, which may have expired.',
	read: 'Requires a member of the organization, or an API key with the scope `read`, `write` or `admin`.',
	write: 'Requires a member of the organization, or an API key with the scope `write` or `admin`.',
	admin: 'Requires an admin or owner of the organization, or an API key with the scope `admin`.',
	'org-admin-person': 'Requires an admin or owner of the organization; API keys are rejected.',
	superadmin: 'Requires a superadmin of this installation.',
	upload:
		'Requires an upload token. An upload that was started with the token accepts it even after it expired.',
	member:
		'Requires an active member of the community, by member token or session. The member token, the host, `X-Community-Id` or `X-Community-Slug` names the community; if several of them are present and disagree, the response is 403. Without any of them, the default community is used.',
	'headless-auth': 'Requires an API key with the scope `headless:auth`.',
	registration: 'Requires the registration token of this installation; for transcoding machines.',
	machine: 'Requires the token of a registered transcoding machine.',
	metrics: 'Requires the `METRICS_TOKEN` of this installation; 404 while it is not set.',
}

export const describeAccess = ({ auth, keyScope }: Operation): string =>
	`${access[auth]}${keyScope ? ` ${describeKeyScope(keyScope)}` : ''}`

const describeKeyScope = (keyScope: NonNullable<Operation['keyScope']>): string =>
	keyScope === 'any'
		? 'An API key with any other scope is enough, too.'
		: `An API key with the scope \`${keyScope}\` is enough, too.`

/** Returns the accepted credentials; any one of them is enough. */
export function listSecurityRequirements(auth: Auth): JsonSchema[] {
	if (auth === 'public') return []
	if (auth === 'viewer') return [{}, { sessionToken: [] }, { apiKey: [] }]
	if (auth === 'upload') return [{ uploadToken: [] }]
	if (auth === 'registration') return [{ registrationToken: [] }]
	if (auth === 'metrics') return [{ metricsToken: [] }]
	if (auth === 'machine') return [{ machineToken: [] }]
	if (auth === 'member') return [{ memberToken: [] }, { sessionToken: [] }]
	if (auth === 'headless-auth') return [{ apiKey: [] }]
	const acceptsApiKeys = auth === 'read' || auth === 'write' || auth === 'admin'
	return [{ sessionToken: [] }, ...(acceptsApiKeys ? [{ apiKey: [] }] : [])]
}
