import { z } from 'zod'

/** The style of error bodies. The specification that a path follows determines it. */
export type WireFamily = 'video' | 'headless' | 'account'

export function familyOf(path: string): WireFamily {
	if (path.startsWith('/api/users/account/')) return 'account'
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

export const problemOf: Record<WireFamily, z.ZodType> = {
	video: Problem,
	headless: Problem,
	account: AccountProblem,
}
