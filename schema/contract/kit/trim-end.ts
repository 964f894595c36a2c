/** Removes a character from the end of a text, in linear time; a regular expression would take quadratic time. */
export function trimEnd(text: string, character: string): string {
	let end = text.length
	while (end > 0 && text[end - 1] === character) end--
	return text.slice(0, end)
}
