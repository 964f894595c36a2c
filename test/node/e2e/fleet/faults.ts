import type { Fault, Point } from './fault-proxy.ts'

/** What befalls one machine, or the edge, at one instant that can be told from the outside. */
export type Mishap = {
	/** Kill: the power goes. Freeze: for longer than a lease, as a suspended or overloaded machine. */
	what: 'kill-machine' | 'freeze-machine' | 'kill-edge' | 'lose' | 'double' | 'refuse' | 'unavailable'
	at: Point
	/** The how manieth time that the machine comes there. */
	number: number
	/** How many times in a row. */
	times?: number
	when?: 'before' | 'after'
}

const after = 'after' as const
const before = 'before' as const

/** Every kind of mishap at every point. One of them is one run. */
export const mishaps: readonly Mishap[] = [
	...([1, 2, 4] as const).map(
		(number) => ({ what: 'kill-machine', at: 'claim', number, when: after }) as const,
	),
	{ what: 'kill-machine', at: 'claim', number: 3, when: before },
	{ what: 'kill-machine', at: 'source', number: 1, when: before },
	{ what: 'kill-machine', at: 'outputs', number: 1, when: after },
	{ what: 'kill-machine', at: 'put', number: 2, when: before },
	{ what: 'kill-machine', at: 'put', number: 9, when: after },
	...([1, 2, 3] as const).flatMap((number) => [
		{ what: 'kill-machine', at: 'complete', number, when: before } as const,
		{ what: 'kill-machine', at: 'complete', number, when: after } as const,
	]),
	{ what: 'freeze-machine', at: 'claim', number: 2, when: before },
	{ what: 'freeze-machine', at: 'put', number: 3, when: before },
	{ what: 'freeze-machine', at: 'complete', number: 2, when: before },
	{ what: 'freeze-machine', at: 'complete', number: 2, when: after },
	{ what: 'kill-edge', at: 'claim', number: 2, when: after },
	{ what: 'kill-edge', at: 'outputs', number: 2, when: before },
	{ what: 'kill-edge', at: 'put', number: 5, when: before },
	{ what: 'kill-edge', at: 'put', number: 12, when: after },
	...([1, 2, 3] as const).flatMap((number) => [
		{ what: 'kill-edge', at: 'complete', number, when: before } as const,
		{ what: 'kill-edge', at: 'complete', number, when: after } as const,
	]),
	...(['claim', 'outputs', 'put', 'complete'] as const).flatMap((at) => [
		{ what: 'lose', at, number: 2 } as const,
		{ what: 'refuse', at, number: 2, times: 3 } as const,
		{ what: 'unavailable', at, number: 2, times: 3 } as const,
	]),
	...(['claim', 'outputs', 'complete'] as const).map((at) => ({ what: 'double', at, number: 2 }) as const),
	{ what: 'lose', at: 'source', number: 1, times: 2 },
	{ what: 'unavailable', at: 'source', number: 1, times: 2 },
	{ what: 'unavailable', at: 'heartbeat', number: 1, times: 2 },
	{ what: 'lose', at: 'heartbeat', number: 1, times: 2 },
]

export const describe = ({ what, at, number, times, when }: Mishap): string =>
	`${what} ${when ? `${when} ` : 'at '}${at} ${number}${times ? ` (${times} times)` : ''}`

export type Acts = { killMachine(): Promise<void>; freezeMachine(): Promise<void>; killEdge(): Promise<void> }

/** What the proxy of a machine does about each request. */
export function chooserOf(mishap: Mishap | undefined, acts: Acts) {
	return (point: Point, number: number): Fault | undefined => {
		if (!mishap || mishap.at !== point) return undefined
		if (number < mishap.number || number >= mishap.number + (mishap.times ?? 1)) return undefined
		const when = mishap.when ?? 'before'
		switch (mishap.what) {
			case 'kill-machine':
				return { kind: 'act', when, act: acts.killMachine }
			case 'freeze-machine':
				return { kind: 'act', when, act: acts.freezeMachine }
			case 'kill-edge':
				return { kind: 'act', when, act: acts.killEdge }
			case 'unavailable':
				return { kind: 'status', status: 503 }
			default:
				return { kind: mishap.what }
		}
	}
}
