import { expect } from 'vitest'

type Times = { startedAt: number | null; endedAt: number | null }

/** Checks that each span lies within its parent. A span that lasts has no end. */
export function expectWithinParents(
	spans: readonly (Times & { id: string; parentId: string | null; text: string })[],
): void {
	for (const span of spans) {
		if (span.parentId === null) continue
		const parent = spans.find(({ id }) => id === span.parentId)
		expect(parent, span.text).toBeDefined()
		const startedAt = span.startedAt ?? span.endedAt ?? Number.NaN
		expect(startedAt, span.text).toBeGreaterThanOrEqual(parent?.startedAt ?? Number.NaN)
		expect(span.endedAt ?? Number.POSITIVE_INFINITY, span.text).toBeLessThanOrEqual(
			parent?.endedAt ?? Number.POSITIVE_INFINITY,
		)
	}
}
