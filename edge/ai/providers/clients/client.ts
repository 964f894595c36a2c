import type { Fetch } from '../../../platform/deps.ts'
import type { AiBinding } from '../../../platform/env.ts'
import type { TranscriptionResult } from './result.ts'

export type Audio = { bytes: Uint8Array<ArrayBuffer>; contentType: string }
export type TranscribeOptions = {
	/** A language tag (BCP 47); null to let the provider detect it. */
	language: string | null
	model: string | null
}

/** The outside dependencies of clients, which tests replace. */
export type Outside = {
	fetch: Fetch
	clock(): number
	wait(ms: number): Promise<void>
	/** Returns what is wrong with an address that the organization chose, or null. */
	urlProblem(url: string): string | null
	ai: AiBinding | null
	/** How long one call may take, polling included. */
	timeoutMs: number
}

export type Client = {
	transcribe(audio: Audio, options: TranscribeOptions): Promise<TranscriptionResult>
}

/** A client for asynchronous providers, which takes a callback URL. */
export type LaterClient = Client & {
	/** Returns the provider's id of the work. */
	start(audio: Audio, options: TranscribeOptions, callbackUrl: string): Promise<string>
	/** Returns null while the provider works. Absent for providers without polling. */
	fetchResult?(remoteId: string): Promise<TranscriptionResult | null>
}
