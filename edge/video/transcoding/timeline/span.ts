import type { SpanKind, SpanOutcome } from '#schema/contract/video/processing/timeline.ts'

export type Span = {
	id: string
	parentId: string | null
	kind: SpanKind
	outcome: SpanOutcome
	text: string
	startedAt: number | null
	endedAt: number | null
}
