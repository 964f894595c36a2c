import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { LeasedTask } from '#schema/contract/video/leases.ts'
import { writeFileAtomic } from '../machine/atomic-file.ts'
import { sumMediaSeconds } from './media-seconds.ts'

/** A daemon's current activity, as stored in its status file. */
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
			/** Speed as a multiple of real time; null for a task without a media length. */
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
type Running = { task: LeasedTask; startedAtMs: number; progress(): number }

/** Records the tasks in progress for `--status`. Failing to write the status stops no work. */
export class ActivityBoard {
	readonly #path: string
	readonly #readFacts: () => Facts
	readonly #clock: () => number
	readonly #startedAt = new Date()
	readonly #running = new Map<string, Running>()
	#done = 0
	#failed = 0
	#lastError: Activity['lastError'] = null
	#lastWrite: Promise<void> = Promise.resolve()
	#timer: NodeJS.Timeout | null = null

	constructor(path: string, readFacts: () => Facts, clock: () => number) {
		this.#path = path
		this.#readFacts = readFacts
		this.#clock = clock
	}

	get running(): number {
		return this.#running.size
	}

	begin(task: LeasedTask, progress: () => number): void {
		this.#running.set(keyOf(task), { task, startedAtMs: this.#clock(), progress })
		this.#write()
	}

	end(task: LeasedTask, outcome: 'done' | 'failed' | 'left', message = ''): void {
		this.#running.delete(keyOf(task))
		if (outcome === 'done') this.#done++
		if (outcome === 'failed') {
			this.#failed++
			this.#lastError = { at: new Date().toISOString(), task: task.id, message }
		}
		this.#write()
	}

	/** Writes the status periodically until the signal. */
	watch(signal: AbortSignal): void {
		this.#timer = setInterval(() => this.#write(), WRITE_MS * 2)
		this.#timer.unref()
		signal.addEventListener('abort', () => this.#timer && clearInterval(this.#timer), { once: true })
		this.#write()
	}

	snapshot(): Activity {
		const now = this.#clock()
		return {
			pid: process.pid,
			startedAt: this.#startedAt.toISOString(),
			updatedAt: new Date().toISOString(),
			...this.#readFacts(),
			running: [...this.#running.values()].map(({ task, startedAtMs, progress }) => {
				const seconds = Math.max(0.001, (now - startedAtMs) / 1_000)
				const media = sumMediaSeconds(task.spec)
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

	#write(): void {
		this.#lastWrite = this.#lastWrite.then(async () => {
			try {
				await mkdir(dirname(this.#path), { recursive: true })
				await writeFileAtomic(this.#path, `${JSON.stringify(this.snapshot(), null, '\t')}\n`)
			} catch {
				// For example a full disk; the tasks report that themselves.
			}
		})
	}
}

const keyOf = ({ id, epoch }: LeasedTask) => `${id}-${epoch}`
const round = (value: number) => Math.round(value * 100) / 100
