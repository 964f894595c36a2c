/** Prints the progress of a long run and an estimate of the remaining time. */
export function startCountdown(total: number) {
	const startedAt = performance.now()
	let done = 0
	return (line: string) => {
		done++
		const leftSec = ((performance.now() - startedAt) / 1_000 / done) * (total - done)
		const left = leftSec < 90 ? `${Math.round(leftSec)} s` : `${Math.round(leftSec / 60)} min`
		console.log(`${String(done).padStart(3)}/${total}  ${line}  (about ${left} left)`)
	}
}
