import { EndedEarlyError } from '../ffmpeg/cut-segments.ts'
import { ProgramError } from '../ffmpeg/run.ts'
import { SourceError } from './task.ts'

/** What ffmpeg says when no machine could read the file. */
const hopeless =
	/Invalid data found when processing input|moov atom not found|does not contain any stream|matches no streams|could not find codec parameters|Format .* not on whitelist/i

/** The owner is told what is wrong with the file; anything else is worth another try. */
export function blameSource(error: unknown): unknown {
	if (error instanceof EndedEarlyError) return endsTooEarly(error.frames, error.message)
	if (!(error instanceof ProgramError) || !hopeless.test(error.stderr)) return error
	return new SourceError('The file is damaged, or of a kind that can not be read.', error.stderr)
}

export const endsTooEarly = (frames: number, detail: string): SourceError =>
	new SourceError(
		`The video ends too early, after ${frames} frames of this part. The file may be cut off or damaged.`,
		detail,
	)
