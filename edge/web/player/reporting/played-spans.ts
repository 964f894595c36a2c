/** No more spans are added than this. */
const MAX_SPANS = 1_000
/** The browser reports positions a little before or after the true ones. */
const TOLERANCE_SEC = 0.1

const tenths = (sec: number): number => Math.round(sec * 10)

type Span = [fromSec: number, toSec: number]

const isEmpty = ([fromSec, toSec]: Span): boolean => tenths(toSec) <= tenths(fromSec)

/** Collects the played parts of a video, in playing order. */
export function openPlayedSpans() {
	const spans: Span[] = []
	/** The span that may still grow. */
	let open: Span | null = null

	return {
		/** Adds what was played from one position to a later one. It may continue the newest span. */
		add(fromSec: number, toSec: number): void {
			if (open && Math.abs(open[1] - fromSec) <= TOLERANCE_SEC) {
				open[1] = Math.max(open[1], toSec)
				return
			}
			const newest = spans.at(-1)
			if (newest && isEmpty(newest)) spans.pop()
			open = null
			if (spans.length >= MAX_SPANS) return
			open = [fromSec, toSec]
			spans.push(open)
		},
		/** The next addition starts a new span. */
		close(): void {
			open = null
		},
		/** Returns start, end, start, end … in tenths of a second. */
		toTenths: (): number[] => spans.filter((span) => !isEmpty(span)).flatMap((span) => span.map(tenths)),
	}
}
