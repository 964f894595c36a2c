import * as playback from '#schema/tables/watch/playback.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const playbackPersonalData: Partial<PersonalData> = {
	impersonal: [
		[playback.comments.authorName, 'typed in by a viewer who needs no account; deleted with the video'],
		[playback.comments.body, 'written by a viewer who needs no account; deleted with the video'],
	],
}
