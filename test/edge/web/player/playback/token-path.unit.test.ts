import { expect, test } from 'vitest'
import { addToken, removeToken } from '../../../../../edge/web/player/playback/token-path.ts'

const signed = 'https://play.example/media/id/~old.to-ken_1/job/360p/1.m4s'
const open = 'https://play.example/media/id/job/360p/1.m4s'

test('a new playback token replaces the one in a path', () => {
	expect(addToken(signed, 'new.token')).toBe('https://play.example/media/id/~new.token/job/360p/1.m4s')
	expect(addToken(signed, null)).toBe(signed)
})

test('the path of a public video gets no playback token', () => {
	expect(addToken(open, 'new.token')).toBe(open)
})

test('a path without its token is the path of the same file in a public video', () => {
	expect(removeToken(signed)).toBe(open)
	expect(removeToken(open)).toBe(open)
})
