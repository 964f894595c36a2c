import type { TaskKind } from '#schema/contract/video/tasks.ts'

/** Longer than a busy machine takes for a claim. A machine that a fault stops for longer gets no part of the video. */
const MAX_WAIT_MS = 10_000

/** Lets no machine complete a part of the video before another machine has leased one. */
export class SharedWork {
	readonly #machines = new Set<string>()
	readonly #shared = Promise.withResolvers<void>()
	#timer: NodeJS.Timeout | undefined

	onLease(machine: string, kind: TaskKind): void {
		if (kind !== 'video') return
		this.#machines.add(machine)
		if (this.#machines.size > 1) this.#end()
	}

	async untilShared(): Promise<void> {
		this.#timer ??= setTimeout(() => this.#end(), MAX_WAIT_MS)
		await this.#shared.promise
	}

	#end(): void {
		clearTimeout(this.#timer)
		this.#shared.resolve()
	}
}
