"""What the tests of several engines run, behind a leaf %x of 3 and -0.5, and what it shows."""

# Queries of 0 share alike; of 1 and 3 the deviation is 1, and with eps=3 they become -1/2 and 1/2.
NETWORKS = (
    '%q = leaf type=f64[2,1] data=0,0\n%k = leaf type=f64[2,1] data=1,3\n'
    '%a = scaled_dot_product_attention %q %k %k\n%b = scaled_dot_product_attention %q %k %k causal=1\n'
    '%y = leaf type=f64[1,2] data=1,3\n%w = leaf type=f64[2] data=2,4 grad=1\n'
    '%l = layer_norm %y count=1 eps=3\n%m = layer_norm %y %w %x count=1 eps=3\n'
    '%g = group_norm %y %w eps=3\n%h = group_norm %y %w groups=2 eps=4\n%n = batch_norm %k eps=3\n'
    '%z = leaf type=f64[1] data=10\n%o = linear %y %y %z\n%p = linear %y %y\n%d = dropout %w by=0.5 seed=0\n'
    '%s = sum %m\n%t = sum %d\n%u = add %s %t\nbackward %u\n')
NETWORKS_SHOW = (
    'value %a type=f64[2,1] data=2,2', 'value %b type=f64[2,1] data=1,2',
    'value %l type=f64[1,2] data=-0.5,0.5', 'value %m type=f64[1,2] data=2,1.5',
    'value %g type=f64[1,2] data=-1,2', 'value %h type=f64[1,2] data=0,0',
    'value %n type=f64[2,1] data=-0.5,0.5', 'value %o type=f64[1,1] data=20',
    'value %p type=f64[1,1] data=10', 'value %d type=f64[2] data=0,8',
    'grad %x type=f64[2] data=1,1', 'grad %w type=f64[2] data=-0.5,2.5')

# Parts of %x, 3 and -0.5, in place of views; lengths and deviations.
PUT = ('%w = leaf type=f64[2,2] data=1,2,3,4\n%u = unsqueeze %x dim=1\n%a = select_scatter %w %x dim=0 index=1\n'
       '%b = slice_scatter %w %u dim=1 start=1\n%c = diagonal_scatter %w %x dims=0,1\n'
       '%d = as_strided_scatter %w %x shape=2 stride=2\n%p = add %a %b\n%q = add %c %d\n%r = add %p %q\n%s = sum %r\n'
       'backward %s\n%z = leaf type=f64[2,2] data=3,4,1,3\n%n = norm %z dims=1\n%o = std %z dims=1 keepdim=1\n'
       '%v = leaf type=f64[] data=0\n%y = sinc %v\n%t = norm %w\n')
PUT_SHOW = ('value %a type=f64[2,2] data=1,2,3,-0.5', 'value %b type=f64[2,2] data=1,3,3,-0.5',
            'value %c type=f64[2,2] data=3,2,3,-0.5', 'value %d type=f64[2,2] data=3,2,-0.5,4', 'grad %x type=f64[2] data=4,4',
            'value %o type=f64[2,1] data=0.5,1', 'value %y type=f64[] data=1')

# A row times a column, a diagonal, and a sum that is one letter's alone.
EINSUMS = ('%w = leaf type=f64[2,2] data=1,2,3,4\n%a = einsum %w %x equation=ij,j->i\n%d = einsum %w equation=ii->i\n'
           '%t = einsum %w equation=ij->ji\n%o = einsum %x %w equation=i,jk->i\n%p = add %a %o\n%s = sum %p\nbackward %s\n')
EINSUMS_SHOW = ('value %a type=f64[2] data=2,7', 'value %d type=f64[2] data=1,4', 'value %t type=f64[2,2] data=1,3,2,4',
                'value %o type=f64[2] data=30,-5', 'grad %x type=f64[2] data=14,16')

# By two indices and by masks; a place that two elements go to.
INDEXED = ('%w = leaf type=f64[2,2] data=1,2,3,4 grad=1\n%i = leaf type=i64[2] data=1,0\n%j = leaf type=i64[] data=1\n'
           '%m = leaf type=bool[2,2] data=1,0,0,1\n%n = leaf type=i64[2] data=1,1\n%a = index %w %i %j\n%b = index %w %m count=2\n'
           '%c = index_put %w %x %i %j\n%d = index_put %c %b %m count=2 accumulate=1\n%e = masked_select %d %m count=2\n'
           '%f = scatter_reduce %x %n %a dim=0 reduction=mean include_self=0\n%p = sum %e\n%q = sum %f\nbackward %p %q\n')
INDEXED_SHOW = ('value %a type=f64[2] data=4,2', 'value %b type=f64[2] data=1,4', 'value %c type=f64[2,2] data=1,-0.5,3,3',
                'value %d type=f64[2,2] data=2,-0.5,3,7', 'value %e type=f64[2] data=2,7', 'value %f type=f64[2] data=3,3',
                'grad %x type=f64[2] data=2,0', 'grad %w type=f64[2,2] data=2,0.5,0,1.5')

# Entries of which two are in one place, by both ways out.
SPARSE = ('%v = leaf type=f64[3] data=1,2,4 grad=1\n%i = leaf type=i64[1,3] data=2,0,2\n%s = sparse_coo %v %i shape=4\n'
          '%c = coalesce %s count=2\n%d = to_dense %s\n%w = sparse_values %c\n%j = sparse_indices %c\n%p = mul %w %w\n'
          '%q = sum %p\n%r = sum %d\nbackward %q %r\n'
          '%t = leaf type=f64[3,1] data=2,3,4 grad=1\n%k = leaf type=i64[3] data=2,0,2\n%e = embedding %t %k sparse=1\n'
          '%f = mul %e %e\n%o = sum %f\n%g = grad %o inputs=%t retain_graph=1\nbackward %o\n%h = read_grad %t\n')
SPARSE_SHOW = ('value %s type=f64[4] data=2,0,5,0', 'value %d type=f64[4] data=2,0,5,0', 'value %w type=f64[2] data=2,5',
               'value %j type=i64[1,2] data=0,2', 'grad %v type=f64[3] data=11,5,11', 'value %g type=f64[3,1] data=4,0,16',
               'value %h type=f64[3,1] data=4,0,16', 'grad %t type=f64[3,1] data=4,0,16')

# Of what is not read nothing comes: of the lower triangle the solution is 1 and 2, and the factor is 2, 2 and 4.
SQUARES = (
    '%a = leaf type=f64[2,2] data=2,nan,1,4 grad=1\n%b = leaf type=f64[2,1] data=2,9\n'
    '%i = leaf type=f64[2,2] data=4,0,0,2\n%e = leaf type=f64[2,2] data=4,nan,4,20 grad=1\n'
    '%t = solve_triangular %a %b\n%c = solve_triangular %i %b upper=1\n%j = inverse %i\n%d = det %i\n'
    '%l = cholesky %e\n%s = sum %t\n%r = sum %l\nbackward %s %r\n')
SQUARES_SHOW = (
    'value %t type=f64[2,1] data=1,2', 'value %c type=f64[2,1] data=0.5,4.5', 'value %j type=f64[2,2] data=0.25,0,0,0.5',
    'value %d type=f64[] data=8', 'value %l type=f64[2,2] data=2,0,2,4',
    'grad %a type=f64[2,2] data=-0.375,0,-0.25,-0.5', 'grad %e type=f64[2,2] data=0.125,0,0.25,0.125')

# Values and where they stood, by which others are picked.
PAIRED = (
    '%w = leaf type=f64[2,2] data=3,1,2,5 grad=1\n%a,%i = sort %w dim=1\n%b,%j = max %w dim=0 keepdim=1\n'
    '%g = gather %w %i dim=0\n%h = gather %w %j dim=1\n%p = mul %a %g\n%s = sum %p\n%t = sum %h\nbackward %s %t\n')
PAIRED_SHOW = (
    'value %a type=f64[2,2] data=1,3,2,5', 'value %i type=i64[2,2] data=1,0,0,1',
    'value %b type=f64[1,2] data=3,5', 'value %j type=i64[1,2] data=0,1',
    'value %g type=f64[2,2] data=2,1,3,5', 'value %h type=f64[1,2] data=3,1',
    'grad %w type=f64[2,2] data=4,6,4,10')
