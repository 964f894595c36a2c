import { floorSeconds } from '#schema/contract/kit/clock.ts'

/** Formats a duration as spoken, such as "1 minute, 5 seconds". */
export function formatSpokenTime(sec: number, language: string): string {
	const whole = floorSeconds(sec)
	const parts = [
		[Math.floor(whole / 3_600), 'hour'],
		[Math.floor(whole / 60) % 60, 'minute'],
		[whole % 60, 'second'],
	] as const
	const said = parts.filter(
		([value, unit], at) => value > 0 || (unit === 'second' && at === 2 && whole === 0),
	)
	const texts = said.map(([value, unit]) =>
		new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value),
	)
	return new Intl.ListFormat(language, { type: 'unit' }).format(texts)
}
