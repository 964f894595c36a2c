export const patch = (s: string): string => {
	const rep = (a: string|RegExp, b: string) => { const t = s.replace(a, b); if (t === s) throw new Error('no match '+a); s = t }
	const e = (process.env.EXP ?? '').split(',')
	if (e.includes('nolog')) rep(/consoleLog = jsonLog\(\(level, line\) => console\[level\]\(line\)\)/, 'consoleLog = jsonLog((level, line) => {})')
	if (e.includes('all')) rep(/const rows = await this\.values\(placeholderValues\);\n(\s*)return this\.mapAllResult\(rows\)/, `const rows = (await this.stmt.bind(...fillPlaceholders(this.query.params, placeholderValues ?? {})).all()).results.map(r=>Object.values(r));\n return this.mapAllResult(rows)`)
	return s
}
