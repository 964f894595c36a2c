/** Says how far a long run is, and about how much longer it takes. */
export function startCountdown(total: number) {
	const begunAt = performance.now()
	let done = 0
	return (line: string) => {
		done++
		const leftSec = ((performance.now() - begunAt) / 1_000 / done) * (total - done)
		const left = leftSec < 90 ? `${Math.round(leftSec)} s` : `${Math.round(leftSec / 60)} min`
		console.log(`${String(done).padStart(3)}/${total}  ${line}  (about ${left} to go)`)
	}
}
