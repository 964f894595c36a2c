<?php
// Loads the parts of WordPress that embed addresses, without a database, and the plugin. Prints what an article gets for
// the addresses in the arguments: php wordpress.php WORDPRESS PLUGIN INSTALLATION ADDRESS...

[ , $wordpress, $plugin, $installation ] = $argv;
define( 'ABSPATH', "$wordpress/" );
define( 'WPINC', 'wp-includes' );
define( 'WP_DEBUG', false );
define( 'WP_CONTENT_DIR', sys_get_temp_dir() );
define( 'HOUR_IN_SECONDS', 3600 );
define( 'DAY_IN_SECONDS', 86400 );

foreach ( array( 'version', 'load', 'class-wp-list-util', 'class-wp-error', 'plugin', 'compat', 'functions', 'pomo/translations', 'l10n', 'shortcodes', 'formatting', 'kses', 'option', 'cache', 'http', 'class-http', 'class-wp-http-proxy', 'class-wp-http-cookie', 'class-wp-http-encoding', 'class-wp-http-response', 'class-wp-http-requests-response', 'class-wp-http-requests-hooks', 'general-template', 'link-template', 'pluggable', 'embed', 'class-wp-oembed' ) as $part ) {
	require_once ABSPATH . WPINC . "/$part.php";
}
wp_cache_init();
// Without a database, filters answer for the options.
foreach ( array( 'home' => 'https://blog.example', 'siteurl' => 'https://blog.example', 'blog_charset' => 'UTF-8', 'playhouse_url' => $installation ) as $name => $value ) {
	add_filter( "pre_option_$name", fn() => $value );
}
// The test runs on the loopback interface, which WordPress does not call otherwise.
add_filter( 'http_request_host_is_external', '__return_true' );
add_filter( 'http_allowed_safe_ports', fn() => array( wp_parse_url( $installation, PHP_URL_PORT ) ) );

if ( '' !== $plugin ) {
	require_once $plugin;
}
// As wp-includes/default-filters.php does: keeps little of the code of sites that are no providers.
add_filter( 'oembed_dataparse', 'wp_filter_oembed_result', 10, 3 );
do_action( 'init' );
$articles = array_map( fn( $url ) => _wp_oembed_get_object()->get_html( $url ), array_slice( $argv, 4 ) );
echo json_encode( $articles );
