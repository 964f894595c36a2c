import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import type { SpokenSegment } from '#schema/contract/video/tasks.ts'

export type Recognition = { language: string | null; segments: SpokenSegment[] }

export type SpeechJob = {
	/** FLAC, 16 kHz, mono. */
	audioPath: string
	/** null if the engine is to find out. */
	language: string | null
	workDir: string
	signal: AbortSignal
	timeoutMs: number
	/** The limit of processor time and of memory follows from this. */
	deadlineSec: number
}

/** A program or service that writes down speech. */
export type SpeechEngine = {
	name: string
	languages: readonly string[]
	recognize(job: SpeechJob): Promise<Recognition>
}

/** An engine that recognized a trial sentence on this machine. */
export type ProvedEngine = { engine: SpeechEngine; speech: NonNullable<MachineCapabilities['speech']> }

export type SpeechTrial = { engine: string; proved: boolean; ms: number; reason: string | null }
