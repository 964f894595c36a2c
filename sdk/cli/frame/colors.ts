export type Paint = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', (text: string) => string>

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const

/** Returns functions that color a text; without colors, they return it unchanged. See no-color.org. */
export function chooseColors(isTerminal: boolean | undefined, env: NodeJS.ProcessEnv): Paint {
	const hasColors = env.FORCE_COLOR
		? env.FORCE_COLOR !== '0'
		: Boolean(isTerminal) && !env.NO_COLOR && env.TERM !== 'dumb'
	return Object.fromEntries(
		Object.entries(codes).map(([name, [on, off]]) => [
			name,
			(text: string) => (hasColors ? `\u001b[${on}m${text}\u001b[${off}m` : text),
		]),
	) as Paint
}
