import { MAX_WORDS } from '../transcripts/transcripts.ts'

/** Why steps were skipped or failed. Owners read them. */
export const reasons = {
	notRequested: 'it was not requested',
	inTrash: 'the asset was moved to the trash; the step starts again when the asset is restored',
	edited: 'a person edited the transcript; run the step with force to replace it',
	editedChapters: 'a person edited the chapters; run the step with force to replace them',
	withoutModel: 'made without the language model:',
	noSound: 'the video has no sound',
	noSpeech: 'nobody speaks in this video',
	noTranscript: 'it needs a transcript, and there is none',
	noEngine:
		'no machine has a speech engine for this language, and no provider is set; choose a provider under settings/ai; or install whisper-cli with a model, or set PLAYHOUSE_ASR_COMMAND, on a transcoding machine; then run the step again',
	noMachineInTime:
		'no machine with a speech engine did the work within 24 hours; start one, then run the step again',
	tooLong: `the transcript would have more than ${MAX_WORDS.toLocaleString('en')} words`,
	noProviderInTime:
		'the provider for transcription did not do the work within 24 hours; run the step again; parts that are done are kept',
	notRecognized: 'the speech could not be recognized; run the step again, or ask who runs this service',
	nothingStandsOut: 'no part of this video stands out from the rest',
	editedHighlights: 'a person changed or deleted highlights; run the step with force to replace them',
	noSegments:
		'the files of this video are not complete; run the step again later, or process the video again',
	noClip: 'no clip could be made; run the step again, or ask who runs this service',
	noClipInTime: 'no machine made the clips within two days; start one, then run the step again',
} as const

/** `reason` comes from the provider, without its key. */
export const describeProviderFailure = (reason: string): string =>
	`the provider for transcription could not do it: ${reason}; run the step again once that is solved; parts that are done are kept`
