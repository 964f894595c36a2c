import { expect, test } from 'vitest'
import { AssetStatus } from '#schema/contract/video/assets.ts'
import { assetMoves, canMove, type MoveName } from '../../../../edge/video/assets/states.ts'

/** The states that each move starts from and leads to, according to the specification. */
const table: Record<MoveName, [from: string, to: string]> = {
	receiveSource: ['created', 'uploaded'],
	enqueue: ['uploaded ready error', 'queued'],
	startProcessing: ['queued', 'processing'],
	finishProcessing: ['processing', 'ready'],
	extendReady: ['ready', 'ready'],
	failProcessing: ['queued processing', 'error'],
	returnToUploaded: ['queued processing', 'uploaded'],
	returnToReady: ['queued processing', 'ready'],
}

test.each(Object.entries(table))(
	'the move %s starts from and leads to the states in the table',
	(name, [from, to]) => {
		const allowed = AssetStatus.options.filter((status) => canMove(name as MoveName, status))
		expect([allowed.join(' '), assetMoves[name as MoveName].to]).toEqual([from, to])
	},
)

test('every state of an asset but the first is reached by a move, and none is a dead end', () => {
	const moves = Object.values(assetMoves)
	expect(AssetStatus.options.filter((status) => !moves.some(({ to }) => to === status))).toEqual(['created'])
	for (const status of AssetStatus.options)
		expect(
			moves.some(({ from }) => (from as readonly string[]).includes(status)),
			status,
		).toBe(true)
})
