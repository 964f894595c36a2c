import { escapeControls } from '../../frame/foreign-text.ts'
import type { Terminal } from '../../frame/terminal.ts'

export type Measure = { label: string; done: number; size: number; perSec: number }

const BAR = 24
const DRAW_EVERY_MS = 100
const PRINT_EVERY_MS = 2_000

/** Shows progress on stderr: lines that are drawn again in a terminal, and a new line every two seconds elsewhere. */
export class ProgressLine {
	readonly #terminal: Terminal
	readonly #startedMs = performance.now()
	#first: number | undefined
	#lastMs = 0
	#drawn = 0

	constructor(terminal: Terminal) {
		this.#terminal = terminal
	}

	show(label: string, done: number, size: number, total?: string): void {
		this.#first ??= done
		const nowMs = performance.now()
		const { isTTY, columns = 80 } = this.#terminal.stderr as NodeJS.WriteStream
		if (nowMs - this.#lastMs < (isTTY ? DRAW_EVERY_MS : PRINT_EVERY_MS) && done < size) return
		this.#lastMs = nowMs
		const perSec = ((done - this.#first) / Math.max(1, nowMs - this.#startedMs)) * 1000
		const lines = [formatProgress({ label, done, size, perSec }, columns - 1), ...(total ? [total] : [])]
		if (isTTY) this.#draw(lines)
		else this.#terminal.talk(lines[0] ?? '')
	}

	/** Removes the lines from a terminal. */
	clear(): void {
		if (this.#drawn > 0) this.#draw([])
	}

	#draw(lines: readonly string[]): void {
		const up = this.#drawn > 1 ? `\u001b[${this.#drawn - 1}A` : ''
		this.#terminal.stderr.write(`\r${up}\u001b[J${lines.map((line) => escapeControls(line)).join('\n')}`)
		this.#drawn = lines.length
	}
}

/** Prints a line such as `film.mp4  ████░░░░  45 %  12.3 of 27.1 MB  4.2 MB/s  4 s left`. */
export function formatProgress({ label, done, size, perSec }: Measure, width: number): string {
	const full = Math.floor((done / size) * BAR)
	const left = perSec > 0 && done < size ? `  ${formatSeconds((size - done) / perSec)} left` : ''
	const percent = String(Math.floor((done / size) * 100)).padStart(3)
	const numbers = `${percent} %  ${megabytes(done)} of ${megabytes(size)} MB  ${megabytes(perSec)} MB/s${left}`
	const bar = `${'█'.repeat(full)}${'░'.repeat(BAR - full)}`
	const room = width - bar.length - numbers.length - 4
	const name = label.length > room ? `${label.slice(0, Math.max(1, room - 1))}…` : label
	return `${name}  ${bar}  ${numbers}`
}

export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)

export function formatSeconds(seconds: number): string {
	const whole = Math.ceil(seconds)
	if (whole < 60) return `${whole} s`
	if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
	return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}
