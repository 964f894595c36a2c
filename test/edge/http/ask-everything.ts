import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { World } from '../../support/edge/world.ts'

export type Answer = { op: Operation; status: number; code: string | null; text: string }

/**
 * Calls every operation with a session, and with a body that none accepts: what matters is who gets as far as the body.
 * Leaves out the one that would end the session.
 */
export async function askEverything(world: World, orgId: string, token: string): Promise<Answer[]> {
	const answers: Answer[] = []
	for (const op of allOperations.filter(({ id }) => id !== 'logout')) {
		const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'orgId' ? orgId : '1'))
		const response = await world.fetch(
			new Request(`https://edge.test${path}`, {
				method: op.method.toUpperCase(),
				headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
				...(!['get', 'head'].includes(op.method) && { body: '"not what is wanted"' }),
			}),
		)
		const code = response.headers.get('x-error-code')
		const isEndless = response.headers.get('content-type') === 'text/event-stream'
		if (isEndless) await response.body?.cancel()
		answers.push({ op, status: response.status, code, text: isEndless ? '' : await response.text() })
	}
	return answers
}
