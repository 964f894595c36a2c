import { once } from 'node:events'
import type { ReadStream, WriteStream } from 'node:tty'
import { chooseColors, type Paint } from './colors.ts'
import { escapeControls, printJson } from './foreign-text.ts'

type ProcessLike = {
	stdin: NodeJS.ReadStream & { isTTY?: boolean }
	stdout: NodeJS.WriteStream
	stderr: NodeJS.WriteStream
	env: NodeJS.ProcessEnv
	once(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
	exit(code: number): never
}

const DEFAULT_WIDTH = 80

/** The streams and the environment of a command: data goes to stdout, everything else to stderr. */
export class Terminal {
	readonly env: NodeJS.ProcessEnv
	readonly paint: Paint
	/** The exit code of a command that continues after a failure. */
	exitCode = 0
	readonly #process: ProcessLike
	#interruption: AbortController | undefined
	readonly #decoder = new TextDecoder()

	constructor(process: ProcessLike) {
		this.#process = process
		this.env = process.env
		this.paint = chooseColors(process.stderr.isTTY, process.env)
		for (const stream of [process.stdout, process.stderr])
			stream.on('error', (error: NodeJS.ErrnoException) => {
				// The reader, such as `head`, has what it needs.
				if (error.code === 'EPIPE') process.exit(0)
				throw error
			})
	}

	get stdin(): ReadStream | NodeJS.ReadStream {
		return this.#process.stdin
	}
	get stderr(): WriteStream | NodeJS.WriteStream {
		return this.#process.stderr
	}
	get width(): number {
		return this.#process.stdout.columns || this.#process.stderr.columns || DEFAULT_WIDTH
	}
	/** Whether stdout is a terminal, and a person reads the data. */
	get isShown(): boolean {
		return Boolean(this.#process.stdout.isTTY)
	}
	/** Whether a person can answer a question. */
	get isInteractive(): boolean {
		const { stdin, stderr, env } = this.#process
		return Boolean(stdin.isTTY && stderr.isTTY && !env.CI)
	}

	write(text: string): void {
		this.#process.stdout.write(text)
	}
	/** Writes a part of a file, and waits while the reader is slower than the writer. Escapes what a terminal would obey. */
	async writeBytes(bytes: Uint8Array): Promise<void> {
		const shown = this.isShown
			? escapeControls(this.#decoder.decode(bytes, { stream: true }).replaceAll('\r\n', '\n'))
			: bytes
		if (!this.#process.stdout.write(shown)) await once(this.#process.stdout, 'drain')
	}
	print(line: string): void {
		this.write(`${escapeControls(line)}\n`)
	}
	printJson(value: unknown): void {
		this.write(`${printJson(value)}\n`)
	}
	/** Writes a line that is no data, such as progress or an error. Its control characters are those of `paint`. */
	talk(line: string): void {
		this.#process.stderr.write(`${escapeControls(line, { keepsColors: true })}\n`)
	}

	get isInterrupted(): boolean {
		return this.#interruption?.signal.aborted ?? false
	}
	/** The first Ctrl-C aborts the signal; the second one ends the process. */
	get interruption(): AbortSignal {
		if (this.#interruption) return this.#interruption.signal
		const controller = new AbortController()
		this.#interruption = controller
		for (const name of ['SIGINT', 'SIGTERM'] as const)
			this.#process.once(name, () => controller.abort(new Error(name)))
		return controller.signal
	}
}
