/** No more spans are added than this. */
const MAX_SPANS = 1_000
/** The browser reports positions a little before or after the true ones. */
const TOLERANCE_SEC = 0.1

const tenths = (sec: number): number => Math.round(sec * 10)

/** Collects which parts of a video were played, in the order of playing. */
export function openPlayedSpans() {
	const spans: { fromSec: number; toSec: number }[] = []
	/** The span that may still grow. */
	let open: { fromSec: number; toSec: number } | null = null
	const isEmpty = ({ fromSec, toSec }: { fromSec: number; toSec: number }) => tenths(toSec) <= tenths(fromSec)

	return {
		/** Adds what was played from one position to a later one. It may continue the newest span. */
		add(fromSec: number, toSec: number): void {
			if (open && Math.abs(open.toSec - fromSec) <= TOLERANCE_SEC) {
				open.toSec = Math.max(open.toSec, toSec)
				return
			}
			const newest = spans.at(-1)
			if (newest && isEmpty(newest)) spans.pop()
			open = null
			if (spans.length >= MAX_SPANS) return
			open = { fromSec, toSec }
			spans.push(open)
		},
		/** Begins a new span with the next addition, wherever that is. */
		close(): void {
			open = null
		},
		/** Returns start, end, start, end … in tenths of a second. */
		toTenths: (): number[] =>
			spans
				.filter((span) => !isEmpty(span))
				.flatMap(({ fromSec, toSec }) => [tenths(fromSec), tenths(toSec)]),
	}
}
