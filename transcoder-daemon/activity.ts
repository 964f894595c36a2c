import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { LeasedTask } from '#schema/contract/leases.ts'
import { mediaSecondsOf } from './media-seconds.ts'
import { writeWhole } from './whole-file.ts'

/** What a daemon is at, as its status file has it. */
export const Activity = z.object({
	pid: z.int(),
	startedAt: z.string(),
	updatedAt: z.string(),
	state: z.enum(['working', 'draining']),
	isConnected: z.boolean(),
	slots: z.int(),
	running: z.array(
		z.object({
			task: z.string(),
			kind: z.string(),
			seconds: z.number(),
			progress: z.number(),
			/** Multiple of real time so far; null where a task has no length. */
			speed: z.number().nullable(),
		}),
	),
	done: z.int(),
	failed: z.int(),
	cache: z.object({ bytes: z.number(), capacityBytes: z.number(), sources: z.int() }),
	lastError: z.object({ at: z.string(), task: z.string(), message: z.string() }).nullable(),
})
export type Activity = z.infer<typeof Activity>

const WRITE_MS = 1_000

type Facts = Pick<Activity, 'state' | 'isConnected' | 'cache' | 'slots'>
type Running = { task: LeasedTask; since: number; progress(): number }

/** Keeps account of what is worked at, for `--status`. A status that can not be written stops no work. */
export class ActivityBoard {
	readonly #path: string
	readonly #facts: () => Facts
	readonly #clock: () => number
	readonly #startedAt = new Date()
	readonly #running = new Map<string, Running>()
	#done = 0
	#failed = 0
	#lastError: Activity['lastError'] = null
	#written: Promise<void> = Promise.resolve()
	#timer: NodeJS.Timeout | null = null

	constructor(path: string, facts: () => Facts, clock: () => number) {
		this.#path = path
		this.#facts = facts
		this.#clock = clock
	}

	get running(): number {
		return this.#running.size
	}

	begin(task: LeasedTask, progress: () => number): void {
		this.#running.set(keyOf(task), { task, since: this.#clock(), progress })
		this.#touch()
	}

	end(task: LeasedTask, outcome: 'done' | 'failed' | 'left', message = ''): void {
		this.#running.delete(keyOf(task))
		if (outcome === 'done') this.#done++
		if (outcome === 'failed') {
			this.#failed++
			this.#lastError = { at: new Date().toISOString(), task: task.id, message }
		}
		this.#touch()
	}

	/** Writes now and then until the signal; the file is gone after that. */
	watch(signal: AbortSignal): void {
		this.#timer = setInterval(() => this.#touch(), WRITE_MS * 2)
		this.#timer.unref()
		signal.addEventListener('abort', () => this.#timer && clearInterval(this.#timer), { once: true })
		this.#touch()
	}

	snapshot(): Activity {
		const now = this.#clock()
		return {
			pid: process.pid,
			startedAt: this.#startedAt.toISOString(),
			updatedAt: new Date().toISOString(),
			...this.#facts(),
			running: [...this.#running.values()].map(({ task, since, progress }) => {
				const seconds = Math.max(0.001, (now - since) / 1_000)
				const media = mediaSecondsOf(task.spec)
				const speed = media === null ? null : round((progress() * media) / seconds)
				return {
					task: task.id,
					kind: task.spec.kind,
					seconds: round(seconds),
					progress: round(progress()),
					speed,
				}
			}),
			done: this.#done,
			failed: this.#failed,
			lastError: this.#lastError,
		}
	}

	#touch(): void {
		this.#written = this.#written.then(async () => {
			try {
				await mkdir(dirname(this.#path), { recursive: true })
				await writeWhole(this.#path, `${JSON.stringify(this.snapshot(), null, '\t')}\n`)
			} catch {
				// A full disk, say: the work itself will tell of it.
			}
		})
	}
}

const keyOf = ({ id, epoch }: LeasedTask) => `${id}-${epoch}`
const round = (value: number) => Math.round(value * 100) / 100
