import type { JsonSchema } from './openapi-schemas.ts'
import type { Auth } from './operation.ts'

/** Who may call, in words. Roles and scopes have no place of their own in OpenAPI. */
export const access: Record<Auth, string> = {
	public: '',
	viewer: 'For anyone; members of the organization and its API keys may be told more.',
	session: 'For a signed-in person.',
	'unverified-session':
		'For a signed-in person, also where the installation wants their address verified and it is not yet.',
	renewal: 'For a signed-in person, also with a token that has expired.',
	read: 'For members of the organization, and API keys with the scope `read`, `write` or `admin`.',
	write: 'For members of the organization, and API keys with the scope `write` or `admin`.',
	admin: 'For admins and owners of the organization, and API keys with the scope `admin`.',
	'org-admin-person': 'For admins and owners of the organization in person; an API key is refused.',
	superadmin: 'For superadmins of this installation.',
	upload: 'With the upload token of an asset; it goes on opening an upload that was begun in its time.',
	member:
		'For active members of the community, with a member token or the session of a person. The community is the one of the member token, of the host, or of `X-Community-Id` or `X-Community-Slug` (those present must agree, else 403), else the default one.',
	'headless-auth': 'For API keys with the scope `headless:auth`.',
	registration: 'For transcoding machines that register, with the registration token of this installation.',
	machine: 'For registered transcoding machines.',
}

/** Which credentials open it: any one of them. */
export function securityOf(auth: Auth): JsonSchema[] {
	if (auth === 'public') return []
	if (auth === 'viewer') return [{}, { sessionToken: [] }, { apiKey: [] }]
	if (auth === 'upload') return [{ uploadToken: [] }]
	if (auth === 'registration') return [{ registrationToken: [] }]
	if (auth === 'machine') return [{ machineToken: [] }]
	if (auth === 'member') return [{ memberToken: [] }, { sessionToken: [] }]
	if (auth === 'headless-auth') return [{ apiKey: [] }]
	const takesKeys = auth === 'read' || auth === 'write' || auth === 'admin'
	return [{ sessionToken: [] }, ...(takesKeys ? [{ apiKey: [] }] : [])]
}
