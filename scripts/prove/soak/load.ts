import { ApiError } from '#schema/contract/kit/client.ts'
import { type Accepted, type Content, chooseRequest, HttpError, requests } from './mix.ts'

/** More open requests mean that the server does not keep up. Further ones are left out, and counted. */
const MAX_OPEN = 400
const TICKS_PER_SECOND = 10

export type Load = {
	/** How often each outcome occurred. */
	outcomes: ReadonlyMap<string, number>
	/** While this is true, connections may fail and the server may answer 503. */
	isRestarting: boolean
	stop(): Promise<void>
}

export const ANSWERED = 'answered'
export const INTERRUPTED = 'interrupted by a restart'

/** Sends `rate` requests a second, however long the responses take. */
export function startLoad(content: Content, accepted: Accepted, rate: number): Load {
	const outcomes = new Map<string, number>()
	const open = new Set<Promise<void>>()
	const count = (outcome: string) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
	const send = async () => {
		const name = chooseRequest(Math.random())
		const wasRestarting = load.isRestarting
		try {
			await requests[name]?.send(content, accepted)
			count(ANSWERED)
		} catch (error) {
			const isExpected = (wasRestarting || load.isRestarting) && isInterruption(error)
			count(isExpected ? INTERRUPTED : `${name}: ${(error as Error).message}`)
		}
	}
	let owed = 0
	const timer = setInterval(() => {
		for (owed += rate / TICKS_PER_SECOND; owed >= 1; owed--) {
			if (open.size >= MAX_OPEN) count('left out')
			else {
				const request = send().finally(() => open.delete(request))
				open.add(request)
			}
		}
	}, 1000 / TICKS_PER_SECOND)
	const load = {
		outcomes,
		isRestarting: false,
		async stop() {
			clearInterval(timer)
			await Promise.all(open)
		},
	}
	return load
}

function isInterruption(error: unknown): boolean {
	if (error instanceof ApiError || error instanceof HttpError) return error.status === 503
	return error instanceof TypeError
}
