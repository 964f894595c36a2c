<?php
/**
 * Plugin Name: Playhouse
 * Description: Turns a pasted address of a video into its player.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: Apache-2.0
 */

defined( 'ABSPATH' ) || exit;

/** Returns the address of the installation, without a slash at the end; empty until somebody enters it. */
function playhouse_base(): string {
	$base = defined( 'PLAYHOUSE_URL' ) ? PLAYHOUSE_URL : get_option( 'playhouse_url', '' );
	return untrailingslashit( playhouse_sanitize_url( $base ) );
}

/** Returns an empty text for what is no web address. An address without a scheme gets https. */
function playhouse_sanitize_url( $url ): string {
	$url = is_string( $url ) ? trim( $url ) : '';
	$url = '' === $url || preg_match( '#^[a-z][a-z0-9+.-]*:#i', $url ) ? $url : 'https://' . ltrim( $url, '/' );
	return esc_url_raw( $url, array( 'https', 'http' ) );
}

/** WordPress keeps the complete code of the player only from sites that it knows as providers. */
function playhouse_add_provider(): void {
	$base = playhouse_base();
	if ( '' === $base ) {
		return;
	}
	// Old links may begin with http. The pattern begins with ^, so that no other address can contain ours.
	$host = preg_quote( preg_replace( '#^https?://#', '', $base ), '#' );
	wp_oembed_add_provider( '#^https?://' . $host . '/(watch|embed)/[\w-]+#i', $base . '/oembed', true );
}
add_action( 'init', 'playhouse_add_provider' );

/** Adds the address to Settings > Media. */
function playhouse_add_setting(): void {
	register_setting( 'media', 'playhouse_url', array( 'sanitize_callback' => 'playhouse_sanitize_url' ) );
	add_settings_field( 'playhouse_url', 'Playhouse', 'playhouse_show_field', 'media', 'default', array( 'label_for' => 'playhouse_url' ) );
}
add_action( 'admin_init', 'playhouse_add_setting' );

/** Shows the field, which a constant in wp-config.php replaces. */
function playhouse_show_field(): void {
	printf(
		'<input type="url" class="regular-text" id="playhouse_url" name="playhouse_url" value="%s" placeholder="https://video.example.org"%s>',
		esc_attr( playhouse_base() ),
		defined( 'PLAYHOUSE_URL' ) ? ' readonly' : ''
	);
}
