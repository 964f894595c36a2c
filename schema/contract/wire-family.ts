import { z } from 'zod'

/** How refusals look is said by the specification a path comes from. */
export type WireFamily = 'video' | 'headless' | 'account'

export function familyOf(path: string): WireFamily {
	if (path.startsWith('/api/users/account/')) return 'account'
	return path.startsWith('/api/') ? 'headless' : 'video'
}

const Problem = z
	.strictObject({
		error: z.string().meta({ description: 'For people to read; programs look at `X-Error-Code`' }),
	})
	.meta({ id: 'Problem', description: 'A refusal' })

const AccountProblem = z
	.union([z.strictObject({ detail: z.string() }), z.record(z.string(), z.array(z.string()).min(1))])
	.meta({
		id: 'AccountProblem',
		description: 'A refusal: `detail`, or what is wrong with each field',
	})

export const problemOf: Record<WireFamily, z.ZodType> = {
	video: Problem,
	headless: Problem,
	account: AccountProblem,
}
