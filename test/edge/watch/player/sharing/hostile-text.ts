import fc from 'fast-check'

const pieces = [
	...[
		'</script>',
		'<!--',
		'<script>',
		'"><svg onload=alert(1)>',
		"' onload='x",
		']]>',
		'&quot;',
		'&#34;',
		'&lt;b&gt;',
	],
	...[
		'\u2028',
		'\u2029',
		'\u202e',
		'\u2066',
		'\u200f',
		'\0',
		'\r\n',
		'\\',
		'"',
		"'",
		'<',
		'>',
		'&',
		'`',
		'=',
		'/',
		'{}',
	],
	...['a', 'Z', '0', ' ', 'é', 'ك', '🎬'],
]

/** Texts that could leave an attribute, an element or a string, if they were not escaped. */
export const hostileText = fc.string({ unit: fc.constantFrom(...pieces), minLength: 1 })
