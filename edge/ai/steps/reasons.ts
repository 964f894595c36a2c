import { MAX_WORDS } from '../transcripts/transcripts.ts'

/** Why steps were skipped or failed. Owners read them. */
export const reasons = {
	notRequested: 'It was not requested.',
	edited: 'A person edited the transcript. Run the step with force to replace it.',
	editedChapters: 'A person edited the chapters. Run the step with force to replace them.',
	withoutModel: 'Made without the language model:',
	noSound: 'The video has no sound.',
	noSpeech: 'Nobody speaks in this video.',
	noTranscript: 'It needs a transcript, and there is none.',
	noEngine:
		'No machine has a speech engine for this language, and no provider is set. Choose a provider under settings/ai; or install whisper-cli with a model, or set PLAYHOUSE_ASR_COMMAND, on a transcoding machine. Then run the step again.',
	noMachineInTime:
		'No machine with a speech engine did the work within 24 hours. Start one, then run the step again.',
	tooLong: `The transcript would have more than ${MAX_WORDS.toLocaleString('en')} words.`,
	noProviderInTime:
		'The provider for transcription did not do the work within 24 hours. Run the step again; parts that are done are kept.',
	notRecognized: 'The speech could not be recognized. Run the step again, or ask who runs this service.',
	nothingStandsOut: 'No part of this video stands out from the rest.',
	editedHighlights: 'A person changed or deleted highlights. Run the step with force to replace them.',
	noSegments:
		'The files of this video are not complete. Run the step again later, or process the video again.',
	noClip: 'No clip could be made. Run the step again, or ask who runs this service.',
	noClipInTime: 'No machine made the clips within two days. Start one, then run the step again.',
} as const

/** `reason` is that of the provider, without its key. */
export const providerFailed = (reason: string): string =>
	`The provider for transcription could not do it: ${reason}. Then run the step again; parts that are done are kept.`
