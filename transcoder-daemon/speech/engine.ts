import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import type { SpokenSegment } from '#schema/contract/video/tasks.ts'

export type Recognition = { language: string | null; segments: SpokenSegment[] }

export type SpeechJob = {
	/** FLAC, 16 kHz, mono. */
	audioPath: string
	/** null for language detection. */
	language: string | null
	workDir: string
	signal: AbortSignal
	timeoutMs: number
	/** Limits processor time and memory. */
	deadlineSec: number
}

/** A program or service that recognizes speech. */
export type SpeechEngine = {
	name: string
	languages: readonly string[]
	recognize(job: SpeechJob): Promise<Recognition>
}

/** An engine that recognized the trial sentence on this machine. */
export type ProvedEngine = { engine: SpeechEngine; speech: NonNullable<MachineCapabilities['speech']> }

export type SpeechTrial = { engine: string; proved: boolean; ms: number; reason: string | null }
