import { z } from 'zod'

/** The style of error bodies. The specification that a path follows determines it. */
export type WireFamily = 'video' | 'headless' | 'account' | 'oauth'

/** What programs call with libraries for OAuth. */
const oauthPaths: ReadonlySet<string> = new Set(['/v1/auth/device', '/v1/auth/device/token'])

export function chooseWireFamily(path: string): WireFamily {
	if (path.startsWith('/api/users/account/')) return 'account'
	if (oauthPaths.has(path)) return 'oauth'
	return path.startsWith('/api/') ? 'headless' : 'video'
}

const Problem = z
	.strictObject({
		error: z.string().meta({ description: 'A message for people; programs should read `X-Error-Code`' }),
	})
	.meta({ id: 'Problem', description: 'An error' })

const AccountProblem = z
	.union([z.strictObject({ detail: z.string() }), z.record(z.string(), z.array(z.string()).min(1))])
	.meta({
		id: 'AccountProblem',
		description: 'An error: `detail`, or the messages for each invalid field',
	})

const OAuthProblem = z
	.strictObject({
		error: z
			.string()
			.meta({ description: 'A code of RFC 6749 or RFC 8628', examples: ['authorization_pending'] }),
		error_description: z.string().meta({ description: 'A message for people' }),
	})
	.meta({ id: 'OAuthProblem', description: 'An error, as OAuth writes it' })

export const problemByFamily: Record<WireFamily, z.ZodType> = {
	video: Problem,
	headless: Problem,
	account: AccountProblem,
	oauth: OAuthProblem,
}
