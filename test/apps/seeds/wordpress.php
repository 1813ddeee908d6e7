<?php
// Installs WordPress in the folder that is named, and writes what can be harmed: run by ../wordpress.ts.
$site = $argv[1];
$_SERVER['HTTP_HOST'] = '127.0.0.1';
$_SERVER['REQUEST_URI'] = '/';
define('WP_INSTALLING', true);
require "$site/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
require_once ABSPATH . 'wp-admin/includes/image.php';

// No mail is sent.
add_filter('pre_wp_mail', '__return_true');
$installed = wp_install('A blog', 'admin', 'admin@example.org', true, '', 'only-for-tests');
$admin = $installed['user_id'];
update_option('permalink_structure', '/%postname%/');
// The administrator has confirmed the address: else a page asks for it in between.
update_option('admin_email_lifespan', time() + 180 * DAY_IN_SECONDS);
foreach (['editor' => 'editor', 'reader' => 'subscriber'] as $name => $role)
    wp_insert_user(['user_login' => $name, 'user_pass' => 'only-for-tests', 'user_email' => "$name@example.org", 'role' => $role]);

foreach (['News', 'Recipes', 'Travel'] as $name) wp_insert_term($name, 'category');
foreach (['bread', 'cake', 'cycling', 'delete', 'install', 'rivers'] as $name) wp_insert_term($name, 'post_tag');
$texts = ['How to update a kitchen', 'Bread in the morning', 'Trash or treasure', 'A river by bicycle', 'Cakes for ten', 'Publish a letter', 'Winter', 'Spring'];
foreach ($texts as $number => $title) {
    $post = wp_insert_post([
        'post_title' => $title, 'post_status' => $number > 5 ? 'draft' : 'publish', 'post_author' => $admin,
        'post_content' => "<!-- wp:paragraph --><p>$title is a text with a <a href=\"/sample-page/\">link</a>.</p><!-- /wp:paragraph -->",
        'tags_input' => ['bread', 'rivers', ['cake', 'cycling', 'delete'][$number % 3]],
        'post_category' => [1 + $number % 4],
    ]);
    foreach ([0, 1] as $approved)
        wp_insert_comment(['comment_post_ID' => $post, 'comment_author' => 'Ann', 'comment_author_email' => 'ann@example.org',
            'comment_content' => "Comment $number with $approved", 'comment_approved' => $approved]);
    // A second version, which can be restored.
    wp_update_post(['ID' => $post, 'post_excerpt' => "In short: $title"]);
}
foreach (['About', 'Unsubscribe', 'Where we are'] as $title)
    wp_insert_post(['post_title' => $title, 'post_type' => 'page', 'post_status' => 'publish', 'post_content' => "<p>$title.</p>", 'post_author' => $admin]);
$gone = wp_insert_post(['post_title' => 'Already thrown away', 'post_status' => 'publish', 'post_content' => '<p>Old.</p>', 'post_author' => $admin]);
wp_trash_post($gone);
wp_spam_comment(wp_insert_comment(['comment_post_ID' => 1, 'comment_author' => 'Spammer', 'comment_content' => 'Buy now']));

// A picture, and a menu.
$uploads = wp_upload_dir();
$picture = imagecreatetruecolor(600, 400);
imagefill($picture, 0, 0, imagecolorallocate($picture, 40, 90, 140));
$file = $uploads['path'] . '/blue.png';
imagepng($picture, $file);
$media = wp_insert_attachment(['post_title' => 'Blue', 'post_mime_type' => 'image/png', 'post_status' => 'inherit'], $file);
wp_update_attachment_metadata($media, wp_generate_attachment_metadata($media, $file));
$menu = wp_create_nav_menu('Main');
wp_update_nav_menu_item($menu, 0, ['menu-item-title' => 'Home', 'menu-item-url' => home_url('/'), 'menu-item-status' => 'publish']);
flush_rewrite_rules();
