import { expect, test } from 'vitest'
import { listMomentKinds } from '../../../../../edge/web/player/reporting/kinds-of-event.ts'

const playing = { seeking: false, paused: false, wantsToPlay: true }

test.each([
	['a video that plays', 'timeupdate', playing, ['timeupdate']],
	['a viewer who pauses', 'pause', { ...playing, paused: true, wantsToPlay: false }, ['pause']],
	['an error of the decoder', 'pause', { ...playing, paused: true }, ['waiting']],
	['a pause that is over', 'pause', playing, ['pause']],
	['a seek whose own event is late', 'play', { ...playing, seeking: true }, ['seeking', 'play']],
	['a seek before the end of another', 'seeked', { ...playing, seeking: true }, ['seeking', 'seeked']],
	['playing', 'playing', playing, ['seeked', 'playing']],
	['playing that a seek has ended', 'playing', { ...playing, seeking: true }, ['seeking', 'playing']],
] as const)('the player log classifies an event that shows %s', (_, type, state, expected) => {
	expect(listMomentKinds({ type, isTrusted: true }, state)).toEqual(expected)
})

test('an event of the player shows that the viewer chose a position without media', () => {
	expect(listMomentKinds({ type: 'timeupdate', isTrusted: false }, playing)).toEqual([
		'seeking',
		'timeupdate',
	])
})
